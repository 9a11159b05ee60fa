//! Paints a scene, and lights up what is pointed at.

use eframe::egui::{
    self, Align2, Color32, FontId, Painter, Pos2, Rect, Response, Sense, Stroke, StrokeKind, WidgetInfo, pos2, vec2,
};

use super::scene::{Align, Fill, Mark, PartId, Role, Scene, Shape};
use crate::app::theme::{Palette, contrast};

/// Paints the scene at its size; what is pointed at and all that belongs to it stands out, and says what it is.
pub fn show(ui: &mut egui::Ui, scene: &Scene, palette: &Palette) -> Response {
    let (response, painter) = ui.allocate_painter(vec2(scene.size[0], scene.size[1]), Sense::hover());
    let origin = response.rect.min;
    let pointed = response.hover_pos().and_then(|at| scene.part_at([at.x - origin.x, at.y - origin.y]));
    for mark in &scene.marks {
        paint(&painter, origin, mark, palette, pointed.map(|part| scene.is_lit(mark, part)));
    }
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, &scene.description));
    match pointed.and_then(|part: PartId| scene.parts.get(part)) {
        Some(part) => response.on_hover_text_at_pointer(&part.tip),
        None => response,
    }
}

/// The colour of a role.
#[must_use]
pub fn color(role: Role, palette: &Palette) -> Color32 {
    match role {
        Role::Text => palette.text,
        Role::Weak => palette.weak,
        Role::Faint => palette.faint,
        Role::Excess(times) => palette.excess(times),
        Role::Accent => palette.accent,
        Role::Owner(number) => {
            let turns = [palette.accent, palette.fair, palette.good, palette.pinned, palette.bad, palette.weak];
            turns[number as usize % turns.len()]
        }
    }
}

/// `lit`: whether it belongs to what is pointed at; `None` where nothing is pointed at.
fn paint(painter: &Painter, origin: Pos2, mark: &Mark, palette: &Palette, lit: Option<bool>) {
    let color = color(mark.role, palette);
    let at = |point: [f32; 2]| pos2(origin.x + point[0], origin.y + point[1]);
    match &mark.shape {
        Shape::Rect { at: corner, size, fill } => {
            let rect = Rect::from_min_size(at(*corner), vec2(size[0], size[1]));
            rectangle(painter, rect, *fill, color);
            if lit == Some(true) {
                painter.rect_stroke(rect, 2.0, Stroke::new(2.0, palette.text), StrokeKind::Outside);
            }
        }
        Shape::Line { from, to, width } => {
            let stroke = match lit {
                Some(true) => Stroke::new(width + 1.5, palette.text),
                // The other ties step back, so that the one in question can be followed.
                Some(false) if !mark.parts.is_empty() => Stroke::new(*width, color.gamma_multiply(0.3)),
                Some(false) | None => Stroke::new(*width, color),
            };
            painter.line_segment([at(*from), at(*to)], stroke);
        }
        Shape::Text { at: point, text, size, align } => {
            let align = match align {
                Align::Left => Align2::LEFT_CENTER,
                Align::Centre => Align2::CENTER_CENTER,
                Align::Right => Align2::RIGHT_CENTER,
            };
            painter.text(at(*point), align, text, FontId::proportional(*size), color);
        }
    }
}

fn rectangle(painter: &Painter, rect: Rect, fill: Fill, color: Color32) {
    let rounding = if rect.width() > 8.0 { 2.0 } else { 0.0 };
    let outline = Stroke::new(1.0, color);
    match fill {
        Fill::Solid => {
            painter.rect_filled(rect, rounding, color);
        }
        Fill::Soft => {
            painter.rect(rect, rounding, color.gamma_multiply(0.3), outline, StrokeKind::Inside);
        }
        Fill::Hatched => {
            hatch(&painter.with_clip_rect(rect.intersect(painter.clip_rect())), rect, color);
            painter.rect_stroke(rect, rounding, outline, StrokeKind::Inside);
        }
        Fill::Outline => {
            painter.rect_stroke(rect, rounding, outline, StrokeKind::Inside);
        }
    }
}

fn hatch(painter: &Painter, rect: Rect, color: Color32) {
    const APART: f32 = 6.0;
    let mut x = rect.left() - rect.height();
    while x < rect.right() {
        painter.line_segment([pos2(x, rect.bottom()), pos2(x + rect.height(), rect.top())], Stroke::new(1.0, color));
        x += APART;
    }
}

/// Black or white, whichever can be read better on this colour.
#[must_use]
pub fn readable_on(color: Color32) -> Color32 {
    if contrast(color, Color32::WHITE) > contrast(color, Color32::BLACK) { Color32::WHITE } else { Color32::BLACK }
}
