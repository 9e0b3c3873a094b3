//! The plugins that ask AI providers, each as the component that ships and through the way out that the server has, against
//! a server that speaks the provider's API as it is documented.

/// The APIs, as far as every test has to know them.
mod apis;
/// What can go wrong with every API.
mod failures;
/// The Gemini API, both of it.
mod gemini;
/// Images of OpenAI.
mod openai;
/// OpenRouter.
mod openrouter;
/// Planners.
mod planners;
/// A plugin and the server it talks to.
mod plugin_under_test;
/// APIs that take a request into a queue and draw later.
mod queues;
/// Responses of an API.
mod replies;
/// What an operator sets.
mod settings;
