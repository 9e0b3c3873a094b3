//! Plugins, good and bad: whatever a component does costs one call, and a folder that is wrong costs
//! one refusal.
mod calls;
pub(crate) mod folder;
mod hostile;
mod layouts;
mod loading;
mod logs;
mod network;
mod reload;
mod templates;
