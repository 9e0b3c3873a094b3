//! Web pages, one file per address.
mod account;
mod admin;
mod appearance;
mod assets;
mod headers;
mod keys;
mod library;
mod links;
mod maintenance;
mod preview_token;
mod requests;
mod sign_in;
mod sign_up;
mod uploads_token;
mod webhooks;
