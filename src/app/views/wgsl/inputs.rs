//! The inputs of the kernel, as its text asks for them: what is typed, what is taken for the rest, and what matters.

use eframe::egui::{self, RichText, TextEdit};

use crate::app::command::Command;
use crate::app::forecast::{Own, Reflected};
use crate::app::own::{Act, Typed, default_text};
use crate::app::views::{View, parts};
use crate::inputs::{Key, Setting};
use crate::record::prediction::Need;

/// Draws the fields.
pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, own: &Own, out: &mut Vec<Command>) {
    parts::software(ui, view);
    parts::title(ui, "Inputs");
    let Some(reflected) = &own.reflected else {
        parts::remark(ui, view, "They are shown once the text can be read.");
        return;
    };
    let fields = Fields { view, own };
    fields.entry(ui, reflected, out);
    fields.field(ui, "dispatch", "Dispatch", "1", "Workgroups: 64 or 8,8 or 4,4,4.", out);
    for over in &reflected.overrides {
        let name = if over.name.is_empty() { &over.key } else { &over.name };
        let usual = if over.has_default { "as in the text" } else { "must be given" };
        fields.field(ui, &format!("override.{name}"), &format!("override {name}"), usual, "A number.", out);
    }
    for (name, ty) in &reflected.uniforms {
        if ty.members().is_empty() {
            let tip = "A value in JSON: 64 or [1, 2, 3].";
            fields.field(ui, &format!("uniform.{name}"), &format!("uniform {name}"), &default_text(ty), tip, out);
        }
        for member in ty.members() {
            let (field, label) = (format!("uniform.{name}.{}", member.name), format!("{name}.{}", member.name));
            let tip = format!("{} in JSON: 64 or [1, 2, 3].", member.ty);
            fields.field(ui, &field, &label, &default_text(&member.ty), &tip, out);
        }
    }
    for (name, ty, loaded) in &reflected.buffers {
        ui.add_space(4.0);
        let usual = fields.taken(Key::Buffer, name).unwrap_or_else(|| "by its type".to_owned());
        fields.field(ui, &format!("buffer.{name}"), &format!("size of {name}"), &usual, &ty.to_string(), out);
        if *loaded {
            let tip = "zero, index, random, random:LO..HI, file:PATH or a list such as [1, 2, 3].";
            fields.field(ui, &format!("fill.{name}"), &format!("contents of {name}"), "zero", tip, out);
        }
        fields.need(ui, name);
    }
    for texture in &reflected.textures {
        let name = &texture.name;
        let usual = fields.taken(Key::Texture, name).unwrap_or_else(|| "256x256".to_owned());
        fields.field(ui, &format!("texture.{name}"), &format!("texture {name}"), &usual, "Texels: 256x128.", out);
    }
    if uses_seed(&view.state.own.typed) {
        fields.field(ui, "seed", "seed", "1", "Chooses the random numbers.", out);
    }
    fields.strange(ui, reflected, out);
    fields.defaults(ui);
}

fn uses_seed(typed: &Typed) -> bool {
    let fills = typed.of(|_| true);
    fills.strange(|_| false).iter().any(|field| field.starts_with("fill.") && fills.get(field).starts_with("random"))
}

struct Fields<'a> {
    view: &'a View<'a>,
    own: &'a Own,
}

impl Fields<'_> {
    fn entry(&self, ui: &mut egui::Ui, reflected: &Reflected, out: &mut Vec<Command>) {
        if reflected.entries.len() < 2 {
            return;
        }
        ui.horizontal_wrapped(|ui| {
            ui.label("Entry point");
            for entry in &reflected.entries {
                let chosen = self.view.state.own.typed.get("entry") == entry;
                if ui.selectable_label(chosen, entry).clicked() {
                    out.push(Command::Own(Act::Type { field: "entry".to_owned(), text: entry.clone() }));
                }
            }
        });
    }

    /// A field; `usual` is what is taken where it is empty.
    fn field(&self, ui: &mut egui::Ui, field: &str, label: &str, usual: &str, tip: &str, out: &mut Vec<Command>) {
        let mut text = self.view.state.own.typed.get(field).to_owned();
        ui.horizontal_wrapped(|ui| {
            let label = ui.add(egui::Label::new(label).wrap());
            let hint = RichText::new(usual).color(self.view.palette.weak);
            let width = 120.0_f32.min(ui.available_width());
            let response = ui.add(TextEdit::singleline(&mut text).desired_width(width).hint_text(hint));
            if response.labelled_by(label.id).on_hover_text(tip).changed() {
                out.push(Command::Own(Act::Type { field: field.to_owned(), text }));
            }
        });
    }

    /// What was taken for a setting that is left open.
    fn taken(&self, key: Key, name: &str) -> Option<String> {
        let setting = Setting { key, name: name.to_owned() };
        let defaulted = &self.own.counts.as_ref()?.defaulted;
        defaulted.iter().find(|other| other.setting == setting).map(|other| other.value.clone())
    }

    /// What the contents of a buffer decide.
    fn need(&self, ui: &mut egui::Ui, name: &str) {
        let needs = self.own.counts.as_ref().map_or(&[][..], |counts| &counts.document.needs);
        let Some(need) = needs.iter().find(|need| need.buffer == name) else { return };
        let text = decides(need);
        if need.default {
            let text = format!("{text} Nobody chose them: give those of a real run.");
            ui.add(egui::Label::new(RichText::new(text).strong().color(self.view.palette.fair)).wrap());
        } else {
            parts::remark(ui, self.view, text);
        }
    }

    /// What is kept for variables that the text no longer has.
    fn strange(&self, ui: &mut egui::Ui, reflected: &Reflected, out: &mut Vec<Command>) {
        let typed = &self.view.state.own.typed;
        let strange = typed.strange(|name| reflected.knows(name));
        if strange.is_empty() {
            return;
        }
        parts::remark(ui, self.view, format!("Not in this text, and not used: {}.", strange.join(", ")));
        if ui.button("Forget them").clicked() {
            out.push(Command::Own(Act::Inputs(typed.of(|name| reflected.knows(name)))));
        }
    }

    fn defaults(&self, ui: &mut egui::Ui) {
        let Some(counts) = self.own.counts.as_ref().filter(|counts| !counts.defaulted.is_empty()) else { return };
        ui.add_space(6.0);
        ui.strong("Taken for what is left open");
        for defaulted in &counts.defaulted {
            parts::remark(ui, self.view, defaulted.to_string());
        }
    }
}

/// `Its contents decide addresses of line 12.`
fn decides(need: &Need) -> String {
    let reaches: Vec<String> =
        need.reaches.iter().map(|reach| format!("{} of line {}", reach.what.words(), reach.line)).collect();
    format!("Its contents decide {}.", reaches.join(", "))
}
