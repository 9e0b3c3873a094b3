//! Plugins, good and bad: a misbehaving component costs one call, and an invalid folder is refused by itself.
mod bundled;
mod calls;
pub(crate) mod folder;
mod hostile;
mod layouts;
mod live_settings;
mod loading;
mod logs;
mod network;
pub(crate) mod reload;
mod rollback;
mod services;
mod templates;
mod versions;
