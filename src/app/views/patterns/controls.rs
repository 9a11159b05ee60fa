//! The left column: device, kernel, parameters, presets.

use eframe::egui::{self, Align2, FontId, Key, RichText, WidgetInfo, pos2, vec2};

use crate::app::command::Command;
use crate::app::forecast::Pattern;
use crate::app::state::Device;
use crate::app::views::patterns::sweep::STRIDES;
use crate::app::views::{View, parts};
use crate::kernels::element::Element;
use crate::kernels::{self, Domain, PRESETS, Parameter, Value};
use crate::units::Bytes;

/// Parameters that are shown at once; the rest is under "More".
const FIRST: [&str; 3] = ["stride", "offset", "element"];

pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    device(ui, view, out);
    ui.separator();
    let pattern = &view.state.pattern;
    let has = |name: &str| pattern.kernel.parameter(name);
    if let Some(parameter) = has("stride") {
        stride(ui, view, parameter, out);
    }
    if has("offset").is_some() {
        offset(ui, view, out);
    }
    if let Some(parameter) = has("element") {
        choice(ui, "Type", parameter, pattern, out);
    }
    more(ui, view, out);
    ui.separator();
    presets(ui, view, out);
}

/// The device of this machine, and what its figures are worth.
fn device(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    match &view.state.device {
        Device::Searching => {
            parts::remark(ui, view, "Looking for the GPU ..");
        }
        Device::Found(found) => {
            let adapter = &found.adapter;
            ui.add(egui::Label::new(RichText::new(&adapter.name).strong()).wrap())
                .on_hover_text(format!("{} {}, through {}", adapter.driver, adapter.driver_info, adapter.backend));
            if adapter.is_cpu() {
                ui.colored_label(view.palette.fair, "This is a CPU. The counts hold, the speeds do not.");
            }
        }
        Device::Missing(reason) => {
            ui.colored_label(view.palette.fair, "No GPU to measure on. Predictions work all the same.");
            parts::remark(ui, view, reason);
            if ui.button("Look again").clicked() {
                out.push(Command::Look);
            }
        }
    }
}

/// A slider that stops at powers of two, and a field for any stride.
fn stride(ui: &mut egui::Ui, view: &View<'_>, parameter: &'static Parameter, out: &mut Vec<Command>) {
    let now = view.state.pattern.number("stride").unwrap_or(1);
    let mut chosen = now;
    ui.horizontal(|ui| {
        parts::title(ui, "Stride");
        number(ui, "Exact stride", parameter, &mut chosen);
        parts::remark(ui, view, "elements").on_hover_text(parameter.meaning);
    });
    let slider = detents(ui, view, now);
    if let Some(detent) = slider {
        chosen = detent;
    }
    if chosen != now {
        out.push(Command::Set("stride", Value::Number(chosen)));
    }
}

/// The slider over the strides that matter; the one it was moved to.
fn detents(ui: &mut egui::Ui, view: &View<'_>, now: u32) -> Option<u32> {
    let last = STRIDES[STRIDES.len() - 1];
    ui.spacing_mut().slider_width = ui.available_width() - 8.0;
    let mut moved = None;
    let shown = f64::from(now.min(last));
    let slider = egui::Slider::from_get_set(1.0..=f64::from(last), |set| {
        // The slider also sets what it got, to keep it in range: only another value is a move.
        moved = set.filter(|value| (value - shown).abs() > 1e-6).or(moved);
        shown
    })
    .logarithmic(true)
    .show_value(false);
    let response = ui.add(slider);
    response.widget_info(|| WidgetInfo::slider(true, f64::from(now), "Stride"));
    ticks(ui, view, response.rect);
    // Keys and screen readers move by one detent, whatever a pixel is worth.
    let action = |action| ui.input(|input| input.num_accesskit_action_requests(response.id, action));
    let key = |key| response.has_focus() && ui.input(|input| input.key_pressed(key));
    let up = action(egui::accesskit::Action::Increment) > 0 || key(Key::ArrowRight);
    let down = action(egui::accesskit::Action::Decrement) > 0 || key(Key::ArrowLeft);
    let next = match (up, down) {
        (true, _) => STRIDES.iter().find(|stride| **stride > now).copied(),
        (_, true) => STRIDES.iter().rev().find(|stride| **stride < now).copied(),
        (false, false) => moved.map(nearest),
    };
    next.filter(|next| *next != now)
}

/// The detent nearest to a stride, as the ear hears pitch.
fn nearest(stride: f64) -> u32 {
    let distance = |detent: u32| (f64::from(detent).log2() - stride.max(1.0).log2()).abs();
    STRIDES.into_iter().min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap_or(1)
}

/// Names of the detents below the slider.
fn ticks(ui: &mut egui::Ui, view: &View<'_>, rail: egui::Rect) {
    let (rect, _) = ui.allocate_exact_size(vec2(rail.width(), 16.0), egui::Sense::hover());
    // The slider's handle keeps its radius from both ends.
    let inset = rail.height() / 2.5;
    let steps = STRIDES.len() - 1;
    for (k, stride) in STRIDES.iter().enumerate() {
        let share = k as f32 / steps as f32;
        let at = pos2(egui::lerp(rail.left() + inset..=rail.right() - inset, share), rect.center().y);
        let font = FontId::proportional(13.0);
        ui.painter().text(at, Align2::CENTER_CENTER, stride.to_string(), font, view.palette.weak);
    }
}

/// The offset in elements, and the same in bytes.
fn offset(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    let pattern = &view.state.pattern;
    let Some(parameter) = pattern.kernel.parameter("offset") else { return };
    ui.horizontal(|ui| {
        parts::title(ui, "Offset");
        let mut chosen = pattern.number("offset").unwrap_or(0);
        if number(ui, "Offset", parameter, &mut chosen) {
            out.push(Command::Set("offset", Value::Number(chosen)));
        }
        let pitch = Element::named(pattern.params.word("element")).pitch;
        let bytes = u64::from(chosen) * u64::from(pitch) + u64::from(pattern.number("offset_bytes").unwrap_or(0));
        parts::remark(ui, view, format!("elements = {bytes} B")).on_hover_text(parameter.meaning);
    });
}

/// A field for a number of a range; whether it was changed.
fn number(ui: &mut egui::Ui, name: &str, parameter: &Parameter, value: &mut u32) -> bool {
    let Domain::Range(low, high) = parameter.domain else { return false };
    let field = egui::DragValue::new(value).range(low..=high).speed(0.1);
    let response = ui.add(field).on_hover_text(format!("{low} to {high}: {}", parameter.meaning));
    let shown = f64::from(*value);
    response.widget_info(|| {
        let mut info = WidgetInfo::drag_value(true, shown);
        info.label = Some(name.to_owned());
        info
    });
    response.changed()
}

/// One of several values.
fn choice(ui: &mut egui::Ui, title: &str, parameter: &'static Parameter, pattern: &Pattern, out: &mut Vec<Command>) {
    let values: Vec<Value> = match parameter.domain {
        Domain::Words(all) => all.iter().map(|word| Value::Word(word)).collect(),
        Domain::Numbers(all) => all.iter().map(|number| Value::Number(*number)).collect(),
        Domain::Range(..) => Vec::new(),
    };
    let Some(now) = pattern.params.get(parameter.name).copied() else { return };
    ui.horizontal(|ui| {
        parts::title(ui, title).on_hover_text(parameter.meaning);
        let combo = egui::ComboBox::from_id_salt(parameter.name).selected_text(now.to_string());
        let response = combo.show_ui(ui, |ui| {
            for value in values {
                if ui.selectable_label(value == now, value.to_string()).clicked() && value != now {
                    out.push(Command::Set(parameter.name, value));
                }
            }
        });
        response.response.widget_info(|| {
            let mut info = WidgetInfo::labeled(egui::Role::ComboBox, true, title);
            info.current_text_value = Some(now.to_string());
            info
        });
    });
}

/// Everything else: kernel, its other parameters, footprint.
fn more(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    let (pattern, shown) = (&view.state.pattern, view.state.more);
    let header = egui::CollapsingHeader::new("More").id_salt("more").open(Some(shown)).show(ui, |ui| {
        kernel(ui, view, out);
        for parameter in pattern.kernel.parameters.iter().filter(|parameter| !FIRST.contains(&parameter.name)) {
            let title = capitalised(parameter.name);
            match parameter.domain {
                Domain::Range(..) => {
                    ui.horizontal(|ui| {
                        parts::title(ui, &title).on_hover_text(parameter.meaning);
                        let mut chosen = pattern.number(parameter.name).unwrap_or(0);
                        if number(ui, &title, parameter, &mut chosen) {
                            out.push(Command::Set(parameter.name, Value::Number(chosen)));
                        }
                    });
                }
                Domain::Numbers(_) | Domain::Words(_) => choice(ui, &title, parameter, pattern, out),
            }
        }
        footprint(ui, view, out);
    });
    if header.header_response.clicked() {
        out.push(Command::More(!shown));
    }
}

/// `offset_bytes` as `Offset bytes`.
fn capitalised(name: &str) -> String {
    let mut letters = name.replace('_', " ");
    if let Some(first) = letters.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    letters
}

fn kernel(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    let now = view.state.pattern.kernel;
    ui.horizontal(|ui| {
        parts::title(ui, "Kernel");
        let combo = egui::ComboBox::from_id_salt("kernel").selected_text(now.id);
        let response = combo.show_ui(ui, |ui| {
            for kernel in
                kernels::ALL.iter().filter(|kernel| kernel.family == now.family || kernel.family == "patterns")
            {
                let label = ui.selectable_label(kernel.id == now.id, kernel.id).on_hover_text(kernel.question);
                if label.clicked() && kernel.id != now.id {
                    out.push(Command::Kernel(kernel.id));
                }
            }
        });
        response.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Kernel"));
    });
    parts::remark(ui, view, now.question);
}

/// How many bytes a dispatch walks over, and which limit of the device binds.
fn footprint(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    let state = view.state;
    let limits = state.setup().limits;
    let most = limits.max_storage_binding_bytes.min(limits.max_buffer_bytes);
    let text = |bytes: Option<u64>| match bytes {
        Some(bytes) => Bytes(bytes).to_string(),
        None => format!("auto, {}", Bytes(state.footprint_bytes())),
    };
    ui.horizontal(|ui| {
        parts::title(ui, "Footprint").on_hover_text("Bytes that a dispatch walks over.");
        let combo = egui::ComboBox::from_id_salt("footprint").selected_text(text(state.footprint_bytes));
        let response = combo.show_ui(ui, |ui| {
            let sizes = (20..34).step_by(2).map(|shift| 1u64 << shift).filter(|bytes| *bytes <= most);
            for bytes in std::iter::once(None).chain(sizes.map(Some)) {
                let name = bytes.map_or_else(|| "automatic".to_owned(), |bytes| Bytes(bytes).to_string());
                if ui.selectable_label(bytes == state.footprint_bytes, name).clicked() {
                    out.push(Command::Footprint(bytes));
                }
            }
        });
        response.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "Footprint"));
    });
    let limit = if limits.max_storage_binding_bytes <= limits.max_buffer_bytes {
        "maxStorageBufferBindingSize"
    } else {
        "maxBufferSize"
    };
    let whose = if state.device.found().is_some() { "this device" } else { "a device without known limits" };
    parts::remark(ui, view, format!("At most {} for {whose} ({limit}).", Bytes(most)));
}

fn presets(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    parts::title(ui, "Patterns of the lesson");
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().button_padding = vec2(8.0, 4.0);
        ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
        for preset in PRESETS {
            let name = preset.id.strip_prefix("lesson-").unwrap_or(preset.id).replace('-', " ");
            let rows = preset.params();
            let on = preset.kernel == view.state.pattern.kernel.id && rows.last() == Some(&view.state.pattern.params);
            if ui.add(egui::Button::new(name).selected(on)).on_hover_text(preset.shows).clicked() {
                out.push(Command::Preset(preset.id));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_ends_at_the_nearest_detent() {
        for (stride, detent) in [(0.0, 1), (1.4, 1), (1.5, 2), (6.0, 8), (23.0, 32), (1e9, 64)] {
            assert_eq!(nearest(stride), detent, "{stride}");
        }
    }

    #[test]
    fn names_read_as_words() {
        assert_eq!(capitalised("offset_bytes"), "Offset bytes");
    }
}
