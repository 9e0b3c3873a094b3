//! The MCP server for the protocol library: its description, its tools and the calls of them.
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::http::request::Parts;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams, CompleteResult,
    Icon, Implementation, ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesRequestMethod,
    ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use super::arguments::Arguments;
use super::earlier_question::EarlierQuestion;
use super::refusal::error_result;
use super::reply::{Outcome, Reply, Stop};
use super::schemas::Components;
use super::tool::{Call, ToolSpec};
use super::tools;
use linepress_core::app::App;
use linepress_core::caller::Caller;
use linepress_core::generation;
use linepress_core::idempotency;
use linepress_http::assets;

/// The instructions that an agent reads first.
const INSTRUCTIONS: &str = "Linepress makes printable coloring books. To make one: plan_book (free), show the plan to the user \
and let them change it, create_book with confirm_credits set to the exact price, wait_for_operation until it has ended, \
get_book_pdf and hand its link on. Every drawing costs credits; ask the user before you spend any. Look at pages with \
look_at_page, and improve bad ones with regenerate_page or with the user's own artwork. Titles and captions are printed \
under the pictures: keep them fitting. Choose the aspect by the size in which the book is to be printed (list_print_formats). \
For Amazon KDP or Lulu print with their edition, short books in a format whose id begins with pod_ where there is one. The field \
next of each result is the next step.";

/// How long a client may cache the list of tools, which changes only with a new version of the server.
const TOOLS_CACHE_TTL: Duration = Duration::from_secs(3600);

/// The server. Cloning it is cheap: the library makes a clone for each request.
#[derive(Clone)]
pub(super) struct Server(Arc<Contents>);

struct Contents {
    app: App,
    /// The tools, built when a client first asks: building the REST document takes time, and many servers serve no
    /// agents.
    tools: LazyLock<Vec<Tool>, Box<dyn FnOnce() -> Vec<Tool> + Send>>,
    specs: HashMap<&'static str, &'static ToolSpec>,
}

impl Server {
    pub(super) fn new(app: &App, document: fn(&App) -> Value) -> Self {
        let described = app.clone();
        let describe = move || {
            let components = Components::new(&document(&described));
            tools::all().map(|tool| tool.describe(&components)).collect()
        };
        Self(Arc::new(Contents {
            app: app.clone(),
            tools: LazyLock::new(Box::new(describe)),
            specs: tools::all().map(|tool| (tool.name, tool)).collect(),
        }))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let icon = format!("{}{}", self.0.app.config.public_url, assets::url("icon.svg"));
        let icon = Icon::new(icon)
            .with_mime_type("image/svg+xml")
            .with_sizes(vec!["any".into()]);
        let own = Implementation::new("linepress", env!("CARGO_PKG_VERSION"))
            .with_title("Linepress")
            .with_description("Plans, draws and prints coloring books.")
            .with_website_url(self.0.app.config.public_url.clone())
            .with_icons(vec![icon]);
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(own)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let granted = caller(&context)?.scopes();
        let is_granted = |tool: &&Tool| {
            let spec = self.0.specs.get(tool.name.as_ref());
            spec.is_some_and(|spec| granted.includes(spec.effect.scopes()))
        };
        let draws_from_pictures = generation::check_source(&self.0.app, true).is_ok();
        let offered = |tool: &Tool| {
            if draws_from_pictures {
                tool.clone()
            } else {
                without_argument(tool.clone(), SOURCE_ARGUMENT)
            }
        };
        let tools = self.0.tools.iter().filter(is_granted).map(offered);
        let mut list = ListToolsResult::with_all_items(tools.collect());
        list.ttl_ms = u64::try_from(TOOLS_CACHE_TTL.as_millis()).ok();
        list.cache_scope = Some(CacheScope::Private);
        Ok(list)
    }

    // Capabilities that the server does not declare. By default the library would return empty lists.

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.0.specs.get(request.name.as_ref()) else {
            return Err(ErrorData::invalid_params(
                format!(
                    "The tool {:?} does not exist; tools/list lists all tools.",
                    request.name
                ),
                None,
            ));
        };
        let caller = caller(&context)?.clone();
        if let Err(error) = caller.require(tool.effect.scopes()) {
            return Ok(error_result(&error, tool.wording()).into());
        }
        let earlier_question = EarlierQuestion::new(
            request.arguments.as_ref(),
            request.request_state,
            request.input_responses,
        );
        let arguments = Arguments::new(request.arguments);
        let key = arguments.key().filter(|_| tool.takes_key());
        let called = (tool.call)(Call {
            app: self.0.app.clone(),
            caller: caller.clone(),
            tool: tool.name,
            arguments,
            earlier_question,
            context,
        });
        let outcome = match called.await {
            Err(Stop::Failed(error)) => {
                let error = idempotency::conflict_if_used(&self.0.app, &caller, key.as_ref(), error).await;
                Err(Stop::Failed(error))
            }
            outcome => outcome,
        };
        log(tool.name, caller.account_id().as_str(), &outcome);
        Ok(match outcome {
            Ok(reply) => reply.into_result().into(),
            Err(stop) => stop.into_response(tool.wording()),
        })
    }
}

/// The argument that is removed where no loaded provider can draw from a picture.
const SOURCE_ARGUMENT: &str = "source_upload_id";

fn without_argument(mut tool: Tool, name: &str) -> Tool {
    let has_it = tool.input_schema.get("properties").and_then(|fields| fields.get(name));
    if has_it.is_some() {
        let schema = Arc::make_mut(&mut tool.input_schema);
        if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            fields.remove(name);
        }
    }
    tool
}

/// The caller of a request.
fn caller(context: &RequestContext<RoleServer>) -> Result<&Caller, ErrorData> {
    let parts = context.extensions.get::<Parts>();
    let caller = parts.and_then(|parts| parts.extensions.get::<Caller>());
    caller.ok_or_else(|| ErrorData::internal_error("The request has no caller.", None))
}

/// Logs one line for each call.
fn log(tool: &str, account: &str, outcome: &Outcome<Reply>) {
    let code = outcome.as_ref().err().and_then(Stop::code);
    match outcome {
        Err(Stop::Failed(error)) if error.is_internal() => {
            tracing::error!(tool, account, code, cause = error.cause(), "tool call failed");
        }
        _ => tracing::info!(tool, account, code, "tool call completed"),
    }
}
