//! The banks of workgroup memory that the lanes of one store meet in: a column a bank, a row a pass.

use crate::app::forecast::WorkgroupTrace;

use super::scene::{Align, Fill, Role, Scene};

/// A store of one subgroup to workgroup memory, each lane's element no wider than a bank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    /// For each bank the words that it is asked for, one after the other, each with its lanes.
    banks: Vec<Vec<Vec<usize>>>,
    lanes: usize,
}

impl Store {
    /// The first such store of the first workgroup; `None` where it does none, or where the model knows no banks.
    #[must_use]
    pub fn of(trace: &WorkgroupTrace) -> Option<Self> {
        let banks = trace.model().banks.as_ref()?;
        let fits = |site: u32| trace.sites.get(site as usize).is_some_and(|site| site.element_bytes <= banks.bytes);
        let access = trace.shared_stores.iter().find(|access| fits(access.site))?;
        let first = (0..access.addresses.len()).take(trace.model().subgroup.value as usize);
        let lanes: Vec<usize> = first.filter(|lane| access.active.contains(*lane)).collect();
        let mut words: Vec<Vec<(u32, Vec<usize>)>> = vec![Vec::new(); banks.count as usize];
        for lane in &lanes {
            let word = access.addresses[*lane] / banks.bytes.max(1);
            let bank = words.get_mut((word % banks.count.max(1)) as usize)?;
            match bank.iter_mut().find(|(other, _)| *other == word) {
                Some((_, sharing)) => sharing.push(*lane),
                None => bank.push((word, vec![*lane])),
            }
        }
        let banks = words.into_iter().map(|bank| bank.into_iter().map(|(_, lanes)| lanes).collect()).collect();
        Some(Self { banks, lanes: lanes.len() })
    }

    /// Passes that it takes: as many as the most words of one bank.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.banks.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Lanes that store.
    #[must_use]
    pub const fn lanes(&self) -> usize {
        self.lanes
    }

    /// Banks that have nothing to do.
    #[must_use]
    pub fn idle(&self) -> usize {
        self.banks.iter().filter(|bank| bank.is_empty()).count()
    }
}

const NAMES: f32 = 58.0;
const HEAD: f32 = 18.0;
const ROW: f32 = 24.0;
const WIDEST: f32 = 34.0;
/// Below this width of a column only every fourth has its number.
const NARROW: f32 = 17.0;

/// The picture, at most so wide.
#[must_use]
pub fn scene(store: &Store, width: f32) -> Scene {
    let pitch = ((width - NAMES) / store.banks.len().max(1) as f32).min(WIDEST);
    let size = [width, HEAD + store.passes() as f32 * ROW + 2.0];
    let mut scene = Scene { size, description: describe(store), ..Scene::default() };
    scene.text([0.0, HEAD / 2.0], 12.5, Align::Left, Role::Weak, "bank");
    for (number, bank) in store.banks.iter().enumerate() {
        let x = NAMES + number as f32 * pitch;
        if pitch >= NARROW || number % 4 == 0 {
            scene.text([x + pitch / 2.0, HEAD / 2.0], 12.0, Align::Centre, Role::Weak, number.to_string());
        }
        for pass in 0..store.passes() {
            let at = [x, HEAD + pass as f32 * ROW];
            let size = [(pitch - 1.5).max(0.5), ROW - 3.0];
            let Some(lanes) = bank.get(pass) else {
                scene.rect(at, size, Fill::Outline, Role::Faint, &[]);
                continue;
            };
            let part = scene.part(format!("Pass {}, bank {number}: {}", pass + 1, names(lanes)));
            let (fill, role) =
                if pass == 0 { (Fill::Soft, Role::Excess(1.0)) } else { (Fill::Hatched, Role::Excess(4.0)) };
            scene.rect(at, size, fill, role, &[part]);
            let text = lanes.first().map_or_else(String::new, usize::to_string);
            if pitch >= NARROW {
                scene.text([x + pitch / 2.0, at[1] + size[1] / 2.0], 12.5, Align::Centre, Role::Text, text);
            }
        }
    }
    for pass in 0..store.passes() {
        let y = HEAD + pass as f32 * ROW + ROW / 2.0 - 1.5;
        scene.text([0.0, y], 12.5, Align::Left, Role::Text, format!("pass {}", pass + 1));
    }
    scene
}

/// `lane 3`, `lanes 3, 4`.
fn names(lanes: &[usize]) -> String {
    let all: Vec<String> = lanes.iter().map(usize::to_string).collect();
    format!("{} {}", if lanes.len() == 1 { "lane" } else { "lanes" }, all.join(", "))
}

fn describe(store: &Store) -> String {
    let busy = store.banks.iter().enumerate().filter(|(_, bank)| !bank.is_empty());
    let each = busy.map(|(number, bank)| {
        let passes: Vec<String> = bank.iter().map(|lanes| names(lanes)).collect();
        format!("bank {number}: {}", passes.join(", then "))
    });
    format!(
        "{} lanes store to {} banks in {} passes, {} banks idle. {}.",
        store.lanes,
        store.banks.len(),
        store.passes(),
        store.idle(),
        each.collect::<Vec<_>>().join("; ")
    )
}
