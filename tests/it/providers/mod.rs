//! The plugins for AI providers: the shipped components, with the server's network access, against a server that
//! implements the provider's documented API.

/// Descriptions of the APIs for all tests.
mod apis;
/// Failures that every API can have.
mod failures;
/// Both Gemini APIs.
mod gemini;
/// OpenAI's image API.
mod openai;
/// OpenRouter.
mod openrouter;
/// Planners.
mod planners;
/// A plugin and the server that it calls.
mod plugin_under_test;
/// APIs that queue a request and draw later.
mod queues;
/// Responses of an API.
mod replies;
/// Reviewers.
mod reviewers;
/// Settings of the operator.
mod settings;
