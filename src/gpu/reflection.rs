//! What the device needs to know of a shader's bindings.

pub use crate::shader::{Binding, BindingAccess as Access, Reflection};
