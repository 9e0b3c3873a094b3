//! The MCP server as the protocol library sees it: its description, its tools, and calls of them.
use std::sync::LazyLock;
use std::time::Duration;

use axum::http::request::Parts;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, Icon, Implementation, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::arguments::Arguments;
use super::call::Call;
use super::earlier_question::EarlierQuestion;
use super::refusal::{Wording, error_result};
use super::reply::{Outcome, Stop};
use super::tool::ToolSpec;
use super::tools;
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency;
use linepress_core::generation;
use linepress_http::request_log::ToolCall;
use linepress_http::{ErrorCode, assets};
use linepress_platform::app::App;
use linepress_platform::maintenance;

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

/// A tool with what follows from its definition.
struct OfferedTool {
    spec: &'static ToolSpec,
    wording: Wording,
    described: Tool,
    /// The same tool for a server without a provider that draws from pictures.
    described_without_source: Tool,
}

/// All tools, in the order in which they are listed.
static TOOLS: LazyLock<Vec<OfferedTool>> = LazyLock::new(|| {
    let offered = tools::all().map(|spec| OfferedTool {
        spec,
        wording: spec.wording(),
        described: spec.describe(true),
        described_without_source: spec.describe(false),
    });
    offered.collect()
});

fn find(name: &str) -> Option<&'static OfferedTool> {
    TOOLS.iter().find(|tool| tool.spec.name == name)
}

/// The server. Cloning it is cheap: the library makes a clone for each request.
#[derive(Clone)]
pub(super) struct Server {
    app: App,
}

impl Server {
    pub(super) fn new(app: &App) -> Self {
        // A schema that cannot be derived stops the server when it starts.
        LazyLock::force(&TOOLS);
        Self { app: app.clone() }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let icon = format!("{}{}", self.app.config.public_url, assets::url("icon.svg"));
        let icon = Icon::new(icon)
            .with_mime_type("image/svg+xml")
            .with_sizes(vec!["any".into()]);
        let own = Implementation::new("linepress", env!("CARGO_PKG_VERSION"))
            .with_title("Linepress")
            .with_description("Plans, draws and prints coloring books.")
            .with_website_url(self.app.config.public_url.clone())
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
        let draws_from_pictures = generation::check_source(&self.app, true).is_ok();
        let tools = TOOLS.iter();
        let tools = tools.filter(|tool| granted.includes(tool.spec.effect.scopes()));
        let tools = tools.map(|tool| {
            let described = if draws_from_pictures {
                &tool.described
            } else {
                &tool.described_without_source
            };
            described.clone()
        });
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
        find(name).map(|tool| tool.described.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(OfferedTool { spec, wording, .. }) = find(&request.name) else {
            return Err(ErrorData::invalid_params(
                format!(
                    "The tool {:?} does not exist; tools/list lists all tools.",
                    request.name
                ),
                None,
            ));
        };
        let caller = caller(&context)?.clone();
        let call = tool_call(&context);
        if let Err(error) = caller.require(spec.effect.scopes()) {
            call.set_code(ErrorCode::from(&error).as_str());
            return Ok(error_result(&error, *wording).into());
        }
        let admitted = match spec.effect.only_reads() {
            true => Ok(()),
            false => maintenance::require_off(&self.app).await,
        };
        let earlier_question = EarlierQuestion::new(
            request.arguments.as_ref(),
            request.request_state,
            request.input_responses,
        );
        let account = caller.account_id().clone();
        let arguments = Arguments::new(request.arguments);
        let key = arguments.key().filter(|_| spec.takes_key());
        let called = spec.handler.carry_out(Call {
            app: self.app.clone(),
            caller: caller.clone(),
            tool: spec.name,
            arguments,
            earlier_question,
            context,
        });
        let outcome = match admitted {
            Ok(()) => called.await,
            Err(error) => Err(Stop::Failed(error)),
        };
        let outcome = match outcome {
            Err(Stop::Failed(error)) => {
                let error = idempotency::conflict_if_used(&self.app, &caller, key.as_ref(), error).await;
                Err(Stop::Failed(error))
            }
            outcome => outcome,
        };
        if let Some(code) = outcome.as_ref().err().and_then(Stop::code) {
            call.set_code(code);
        }
        log(spec.name, account.as_str(), &outcome);
        Ok(match outcome {
            Ok(result) => result.into(),
            Err(stop) => stop.into_response(*wording),
        })
    }
}

/// The caller of a request.
fn caller(context: &RequestContext<RoleServer>) -> Result<&Caller, ErrorData> {
    let parts = context.extensions.get::<Parts>();
    let caller = parts.and_then(|parts| parts.extensions.get::<Caller>());
    caller.ok_or_else(|| ErrorData::internal_error("The request has no caller.", None))
}

/// The description of the call for the request log.
fn tool_call(context: &RequestContext<RoleServer>) -> ToolCall {
    let parts = context.extensions.get::<Parts>();
    let call = parts.and_then(|parts| parts.extensions.get::<ToolCall>());
    call.cloned().unwrap_or_default()
}

/// Logs one line for each call.
fn log(tool: &str, account: &str, outcome: &Outcome<CallToolResult>) {
    let code = outcome.as_ref().err().and_then(Stop::code);
    match outcome {
        Err(Stop::Failed(error)) if error.is_internal() => {
            tracing::error!(tool, account, code, cause = error.cause(), "tool call failed");
        }
        _ => tracing::info!(tool, account, code, "tool call completed"),
    }
}
