//! The MCP server as the protocol library sees it: its description, tools and prompts, and calls of them.
use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
    ConstString, CreateTaskResult, CustomRequest, CustomResult, DiscoverResult, ErrorCode as RpcErrorCode,
    GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestMethod, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig, Tool, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use super::apps::{self, Handshake};
use super::arguments::Arguments;
use super::call::{self, Call};
use super::description::{self, OfferedTool};
use super::earlier_question::EarlierQuestion;
use super::handler::Completed;
use super::refusal::Wording;
use super::reply::{Outcome, Stop};
use super::tasks::earlier::{self, TaskRequest};
use super::trace::CallStep;
use super::{completion, prompts, tasks};
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency;
use linepress_http::request_log::ToolCall;
use linepress_platform::app::App;
use linepress_platform::maintenance;

/// The time for which a client may cache the lists of tools, prompts and apps, and the apps themselves. They change only
/// with a new version of the server, except that the list of tools also follows the caller's scopes and whether a loaded
/// provider draws from pictures.
const LIST_CACHE_TTL: Duration = Duration::from_secs(3600);

/// The server. Cloning it is cheap: the library makes a clone for each request.
#[derive(Clone)]
pub(super) struct Server {
    app: App,
    /// The description of the server, which the library asks for with each request.
    info: Arc<ServerConfig>,
}

impl Server {
    pub(super) fn new(app: &App) -> Self {
        description::check();
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_completions()
            .enable_tasks();
        let info = ServerConfig::new(capabilities.build())
            .with_server_info(description::implementation(app))
            .with_instructions(description::INSTRUCTIONS);
        Self {
            app: app.clone(),
            info: Arc::new(info),
        }
    }

    /// Carries out a call of a tool, as a step of its trace.
    async fn carry_out(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<Called, ErrorData> {
        let Some(tool) = description::find(&request.name) else {
            return Err(ErrorData::invalid_params(
                format!(
                    "The tool {:?} does not exist; tools/list lists all tools.",
                    request.name
                ),
                None,
            ));
        };
        let step = CallStep::begin(tool.spec.name, &context);
        let called = step.trace(self.carry_out_tool(tool, request, context)).await?;
        step.record(&called.outcome);
        Ok(called)
    }

    async fn carry_out_tool(
        &self,
        tool: &'static OfferedTool,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<Called, ErrorData> {
        let OfferedTool { spec, wording, .. } = tool;
        let caller = caller(&context)?.clone();
        let log_entry = call::log_entry(&context);
        let wording = *wording;
        if let Err(error) = caller.require(spec.effect.scopes()) {
            let stop = Stop::Failed(error);
            log_code(&log_entry, &stop);
            let outcome = Err(stop);
            return Ok(Called { outcome, wording });
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
        if let Err(stop) = &outcome {
            log_code(&log_entry, stop);
        }
        log(spec.name, caller.account_id().as_str(), &outcome);
        Ok(Called { outcome, wording })
    }

    /// Carries out a call that is to run as a task of the revision 2025-11-25.
    async fn call_as_task(&self, params: Value, context: RequestContext<RoleServer>) -> Result<Value, ErrorData> {
        let Ok(request) = serde_json::from_value::<CallToolRequestParams>(params) else {
            return Err(ErrorData::invalid_params("The call has a malformed parameter.", None));
        };
        if description::find(&request.name).is_some_and(|tool| !tool.spec.effect.orders()) {
            let problem = format!("{} cannot run as a task: call it without `task`.", request.name);
            return Err(ErrorData::new(RpcErrorCode::METHOD_NOT_FOUND, problem, None));
        }
        let Called { outcome, wording } = self.carry_out(request, context).await?;
        Err(earlier::refused(match outcome {
            Ok(Completed { order: Some(order), .. }) => return Ok(earlier::created(&order)),
            Ok(completed) => completed.result.into(),
            Err(stop) => stop.into_response(wording),
        }))
    }

    /// The context of a request about a task that exists.
    fn call_about_task(&self, context: RequestContext<RoleServer>) -> Result<Call, ErrorData> {
        Ok(Call {
            app: self.app.clone(),
            caller: caller(&context)?.clone(),
            tool: "",
            arguments: Arguments::new(None),
            earlier_question: EarlierQuestion::default(),
            context,
        })
    }
}

/// The outcome of a call, and the properties of its tool that the words for an error depend on.
struct Called {
    outcome: Outcome<Completed>,
    wording: Wording,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::clone(&self.info)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        // The extension for tasks is declared with each request, as only clients of the revision 2026-07-28 do.
        result.capabilities.extensions = None;
        if apps::are_shown_by(&request.capabilities) {
            apps::declare(&mut result.capabilities);
            Handshake::note(&context);
        }
        Ok(result)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut result = DiscoverResult::from_server_info(versions, self.get_info());
        if apps::are_shown_in(&context) {
            apps::declare(&mut result.capabilities);
        }
        Ok(result)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let granted = caller(&context)?.scopes();
        let tools = description::tools_for(&self.app, granted, apps::are_shown_in(&context));
        let mut list = ListToolsResult::with_all_items(tools);
        allow_caching(&mut list.ttl_ms, &mut list.cache_scope);
        Ok(list)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let granted = caller(&context)?.scopes();
        let mut list = ListPromptsResult::with_all_items(description::prompts(granted));
        allow_caching(&mut list.ttl_ms, &mut list.cache_scope);
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let invalid = |problem: String| ErrorData::invalid_params(problem, None);
        let prompt = prompts::find(caller(&context)?.scopes(), &request.name).map_err(invalid)?;
        let result = prompt.result(&self.app, request.arguments.as_ref());
        result.map(GetPromptResponse::from).map_err(invalid)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let caller = caller(&context)?.clone();
        let completed = completion::complete(&self.app, &caller, &request).await;
        completed.map(CompleteResult::new)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        require_apps::<ListResourcesRequestMethod>(&context)?;
        let mut list = ListResourcesResult::with_all_items(apps::resources(&self.app));
        allow_caching(&mut list.ttl_ms, &mut list.cache_scope);
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        require_apps::<ListResourceTemplatesRequestMethod>(&context)?;
        let mut list = ListResourceTemplatesResult::with_all_items(Vec::new());
        allow_caching(&mut list.ttl_ms, &mut list.cache_scope);
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        require_apps::<ReadResourceRequestMethod>(&context)?;
        let Some(contents) = apps::contents(&self.app, &request.uri) else {
            let problem = "No resource has this address; resources/list lists all resources.";
            return Err(ErrorData::resource_not_found(problem, None));
        };
        let mut result = ReadResourceResult::new(vec![contents]);
        allow_caching(&mut result.ttl_ms, &mut result.cache_scope);
        Ok(result.into())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        description::find(name).map(|tool| tool.described.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let takes_tasks = tasks::are_declared(&context);
        let Called { outcome, wording } = self.carry_out(request, context).await?;
        Ok(match outcome {
            Ok(Completed { order: Some(order), .. }) if takes_tasks => {
                CreateTaskResult::new(tasks::accepted(&order)).into()
            }
            Ok(completed) => completed.result.into(),
            Err(stop) => stop.into_response(wording),
        })
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let call = self.call_about_task(context)?;
        let task = tasks::get(&call, &request.task_id).await;
        let task = task.map_err(|error| tasks::protocol_error(&call, &error))?;
        Ok(GetTaskResult::new(task))
    }

    /// No task asks for input: the user agrees to the price before the task begins. So all input is ignored.
    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let call = self.call_about_task(context)?;
        let found = tasks::find(&call, &request.task_id).await;
        found.map_err(|error| tasks::protocol_error(&call, &error))?;
        Ok(())
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let call = self.call_about_task(context)?;
        let canceled = tasks::cancel(&call, &request.task_id).await;
        canceled.map_err(|error| tasks::protocol_error(&call, &error))?;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let revision = context.protocol_version();
        let Some(asked) = TaskRequest::from_passage(&request.method, revision.as_ref()) else {
            return Err(ErrorData::new(RpcErrorCode::METHOD_NOT_FOUND, request.method, None));
        };
        let params = request.params.unwrap_or_default();
        let result = match asked {
            TaskRequest::ListTools => earlier::tools(self.list_tools(None, context).await?),
            TaskRequest::CallTool => self.call_as_task(params, context).await?,
            asked => earlier::respond(&self.call_about_task(context)?, asked, params).await?,
        };
        Ok(CustomResult::new(result))
    }
}

/// Allows the client to cache a result for itself alone.
fn allow_caching(ttl_ms: &mut Option<u64>, cache_scope: &mut Option<CacheScope>) {
    *ttl_ms = u64::try_from(LIST_CACHE_TTL.as_millis()).ok();
    *cache_scope = Some(CacheScope::Private);
}

/// Refuses a method about resources to a client that does not show apps: the apps are the only resources, so for this
/// client the server has no such capability. By default the library would return empty lists.
fn require_apps<M: ConstString>(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    match apps::are_shown_in(context) {
        true => Ok(()),
        false => Err(ErrorData::method_not_found::<M>()),
    }
}

/// The caller of a request.
fn caller(context: &RequestContext<RoleServer>) -> Result<&Caller, ErrorData> {
    let parts = context.extensions.get::<Parts>();
    let caller = parts.and_then(|parts| parts.extensions.get::<Caller>());
    caller.ok_or_else(|| ErrorData::internal_error("The request has no caller.", None))
}

/// Records in the request log why a call has no result.
fn log_code(entry: &ToolCall, stop: &Stop) {
    if let Some(code) = stop.code() {
        entry.set_code(code);
    }
}

/// Logs one line for each call.
fn log(tool: &str, account: &str, outcome: &Outcome<Completed>) {
    let code = outcome.as_ref().err().and_then(Stop::code);
    match outcome {
        Err(Stop::Failed(error)) if error.is_internal() => {
            tracing::error!(tool, account, code, cause = error.cause(), "tool call failed");
        }
        Err(Stop::Failed(error)) => {
            tracing::info!(tool, account, code, cause = error.cause(), "tool call completed");
        }
        _ => tracing::info!(tool, account, code, "tool call completed"),
    }
}
