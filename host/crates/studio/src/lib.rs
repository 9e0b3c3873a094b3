//! The tools of plugin authors and designers: the commands that create, check, pack and try plugins, and those that
//! preview and check templates. They need no server, and load a plugin with a server's limits.
mod local_page;
mod new_folder;
pub mod plugin;
pub mod template;
mod workbench;
