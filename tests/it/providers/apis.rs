//! Descriptions of the APIs for all tests: address, path, and how the plugin sends its key.
use serde_json::{Value, json};

use super::replies::{PICTURE, Reply, base64};
use crate::test_app::Page;

/// One API and the plugin that uses it.
pub(super) struct Api {
    /// The plugin's id without `linepress.`.
    pub(super) plugin: &'static str,
    pub(super) settings: fn() -> Value,
    /// The origins that the operator grants.
    pub(super) origins: &'static [&'static str],
    /// The names that lead to the test's server.
    pub(super) hosts: &'static [&'static str],
    /// The path of the first request, which is a POST.
    pub(super) path: &'static str,
    /// The credential and its place in a request.
    pub(super) key: Key,
    /// The responses to a successful call, by path.
    pub(super) success: fn() -> Vec<(&'static str, Vec<Page>)>,
}

/// The credential of a plugin: its name, and its place in a request.
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) header: &'static str,
    pub(super) value: &'static str,
}

/// The value of every credential.
pub(super) const SECRET: &str = "s3cret";

impl Api {
    pub(super) fn is_planner(&self) -> bool {
        self.plugin.ends_with("-planner")
    }

    pub(super) fn is_reviewer(&self) -> bool {
        self.plugin.ends_with("-reviewer")
    }
}

const BEARER: Key = Key {
    name: "api_key",
    header: "authorization",
    value: "Bearer s3cret",
};

pub(super) const OPENAI_IMAGES: Api = Api {
    plugin: "openai-images",
    settings: || json!({"model": "gpt-image-2"}),
    origins: &["https://api.openai.com"],
    hosts: &["api.openai.com"],
    path: "/v1/images/generations",
    key: BEARER,
    success: || {
        let image = json!({"created": 1, "data": [{"b64_json": base64(PICTURE)}], "output_format": "png"});
        vec![("/v1/images/generations", vec![Reply::json(200, &image).page()])]
    },
};

pub(super) const OPENROUTER: Api = Api {
    plugin: "openrouter",
    settings: || json!({"model": "maker/painter"}),
    origins: &["https://openrouter.ai"],
    hosts: &["openrouter.ai"],
    path: "/api/v1/chat/completions",
    key: BEARER,
    success: || {
        let url = format!("data:image/png;base64,{}", base64(PICTURE));
        let message =
            json!({"role": "assistant", "content": "", "images": [{"type": "image_url", "image_url": {"url": url}}]});
        let completion = json!({
            "id": "gen-1", "model": "maker/painter",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"cost": 0.0387, "total_tokens": 1300},
        });
        vec![("/api/v1/chat/completions", vec![Reply::json(200, &completion).page()])]
    },
};

pub(super) const GEMINI: Api = Api {
    plugin: "gemini",
    settings: || json!({"model": "painter"}),
    origins: &["https://generativelanguage.googleapis.com"],
    hosts: &["generativelanguage.googleapis.com"],
    path: "/v1beta/models/painter:generateContent",
    key: GOOGLE,
    success: || {
        let part = json!({"inlineData": {"mimeType": "image/png", "data": base64(PICTURE)}});
        let content = json!({"role": "model", "parts": [{"text": "Here it is."}, part]});
        let answer = json!({"candidates": [{"content": content, "finishReason": "STOP"}], "modelVersion": "painter"});
        vec![(
            "/v1beta/models/painter:generateContent",
            vec![Reply::json(200, &answer).page()],
        )]
    },
};

const GOOGLE: Key = Key {
    name: "api_key",
    header: "x-goog-api-key",
    value: SECRET,
};

pub(super) const GEMINI_INTERACTIONS: Api = Api {
    settings: || json!({"model": "painter", "api": "interactions"}),
    path: "/v1beta/interactions",
    success: || {
        let image = json!({"type": "image", "mime_type": "image/png", "data": base64(PICTURE)});
        let interaction = json!({
            "id": "i1", "status": "completed", "model": "painter",
            "steps": [{"type": "model_output", "content": [image]}],
        });
        vec![("/v1beta/interactions", vec![Reply::json(200, &interaction).page()])]
    },
    ..GEMINI
};

pub(super) const FLUX: Api = Api {
    plugin: "flux",
    settings: || json!({"model": "flux-2-pro"}),
    origins: &["https://api.bfl.ai", "https://*.bfl.ai"],
    hosts: &["api.bfl.ai", "api.eu1.bfl.ai", "delivery-eu1.bfl.ai"],
    path: "/v1/flux-2-pro",
    key: Key {
        name: "api_key",
        header: "x-key",
        value: SECRET,
    },
    success: || {
        let task = json!({"id": "t1", "polling_url": "https://api.eu1.bfl.ai/v1/get_result?id=t1", "cost": 4.5});
        let pending = json!({"id": "t1", "status": "Pending", "result": null});
        let sample = "https://delivery-eu1.bfl.ai/results/t1.png?se=2026&sig=abc";
        let ready = json!({"id": "t1", "status": "Ready", "result": {"sample": sample, "seed": 7}});
        vec![
            ("/v1/flux-2-pro", vec![Reply::json(200, &task).page()]),
            (
                "/v1/get_result?id=t1",
                vec![Reply::json(200, &pending).page(), Reply::json(200, &ready).page()],
            ),
            (
                "/results/t1.png?se=2026&sig=abc",
                vec![Reply::bytes(200, PICTURE).page()],
            ),
        ]
    },
};

pub(super) const FAL: Api = Api {
    plugin: "fal",
    settings: || json!({"model": "maker/painter/turbo", "edit_model": "maker/painter/edit"}),
    origins: &["https://queue.fal.run", "https://*.fal.media", "https://fal.media"],
    hosts: &["queue.fal.run", "v3.fal.media"],
    path: "/maker/painter/turbo",
    key: Key {
        name: "api_key",
        header: "authorization",
        value: "Key s3cret",
    },
    success: || {
        let address = "https://queue.fal.run/maker/painter/requests/r1";
        let queued = json!({
            "request_id": "r1", "queue_position": 1, "response_url": address,
            "status_url": format!("{address}/status"), "cancel_url": format!("{address}/cancel"),
        });
        let waiting = json!({"status": "IN_PROGRESS", "logs": null});
        let done = json!({"status": "COMPLETED", "logs": null});
        let output = json!({
            "images": [{"url": "https://v3.fal.media/files/r1.png", "content_type": "image/png"}],
            "has_nsfw_concepts": [false], "seed": 7,
        });
        vec![
            ("/maker/painter/turbo", vec![Reply::json(200, &queued).page()]),
            ("/maker/painter/edit", vec![Reply::json(200, &queued).page()]),
            (
                "/maker/painter/requests/r1/status",
                vec![Reply::json(202, &waiting).page(), Reply::json(200, &done).page()],
            ),
            ("/maker/painter/requests/r1", vec![Reply::json(200, &output).page()]),
            ("/files/r1.png", vec![Reply::bytes(200, PICTURE).page()]),
        ]
    },
};

pub(super) const COMFYUI: Api = Api {
    plugin: "comfyui",
    settings: || {
        let text = json!({"class_type": "CLIPTextEncode", "inputs": {"text": "{{prompt}}", "clip": ["4", 1]}});
        let size = json!({"class_type": "EmptyLatentImage", "inputs": {"width": "{{width}}", "height": "{{height}}"}});
        let load = json!({"class_type": "LoadImage", "inputs": {"image": "{{reference_1}}"}});
        json!({
            "base_url": "https://comfy.test", "poll_s": 1,
            "workflow": {"5": size, "6": text},
            "workflow_with_references": {"1": load, "5": size, "6": text},
        })
    },
    origins: &["https://comfy.test"],
    hosts: &["comfy.test"],
    path: "/prompt",
    key: Key {
        name: "authorization",
        header: "authorization",
        value: SECRET,
    },
    success: || {
        let queued = json!({"prompt_id": "p1", "number": 1, "node_errors": {}});
        let uploaded = json!({"name": "fox.png", "subfolder": "linepress", "type": "input"});
        let saved = json!({"filename": "page_00001_.png", "subfolder": "", "type": "output"});
        let entry = json!({
            "outputs": {"9": {"images": [saved]}},
            "status": {"status_str": "success", "completed": true, "messages": []},
        });
        vec![
            ("/upload/image", vec![Reply::json(200, &uploaded).page()]),
            ("/prompt", vec![Reply::json(200, &queued).page()]),
            (
                "/history/p1",
                vec![
                    Reply::json(200, &json!({})).page(),
                    Reply::json(200, &json!({"p1": entry})).page(),
                ],
            ),
            (
                "/view?filename=page_00001_.png&subfolder=&type=output",
                vec![Reply::bytes(200, PICTURE).page()],
            ),
        ]
    },
};

pub(super) const OPENAI_PLANNER: Api = Api {
    plugin: "openai-planner",
    settings: || json!({"model": "talker"}),
    origins: &["https://api.openai.com"],
    hosts: &["api.openai.com"],
    path: "/v1/chat/completions",
    key: BEARER,
    success: || {
        let completion = json!({
            "id": "c1", "object": "chat.completion", "model": "talker-2026-10-01",
            "choices": [{
                "index": 0, "finish_reason": "stop",
                "message": {"role": "assistant", "content": plan().to_string(), "refusal": null},
            }],
        });
        vec![("/v1/chat/completions", vec![Reply::json(200, &completion).page()])]
    },
};

pub(super) const ANTHROPIC_PLANNER: Api = Api {
    plugin: "anthropic-planner",
    settings: || json!({"model": "talker"}),
    origins: &["https://api.anthropic.com"],
    hosts: &["api.anthropic.com"],
    path: "/v1/messages",
    key: Key {
        name: "api_key",
        header: "x-api-key",
        value: SECRET,
    },
    success: || {
        let message = json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "talker-20261001",
            "content": [{"type": "text", "text": plan().to_string()}],
            "stop_reason": "end_turn", "usage": {"input_tokens": 700, "output_tokens": 300},
        });
        vec![("/v1/messages", vec![Reply::json(200, &message).page()])]
    },
};

pub(super) const OPENAI_REVIEWER: Api = Api {
    plugin: "openai-reviewer",
    settings: || json!({"model": "talker"}),
    origins: &["https://api.openai.com"],
    hosts: &["api.openai.com"],
    path: "/v1/chat/completions",
    key: BEARER,
    success: || {
        let verdict = json!({"verdict": "pass", "hint": "", "sentence": ""});
        let completion = json!({
            "id": "c1", "object": "chat.completion", "model": "talker-2026-10-01",
            "choices": [{
                "index": 0, "finish_reason": "stop",
                "message": {"role": "assistant", "content": verdict.to_string(), "refusal": null},
            }],
        });
        vec![("/v1/chat/completions", vec![Reply::json(200, &completion).page()])]
    },
};

/// The text that a model writes.
pub(super) fn plan() -> Value {
    json!({
        "title": "Foxes in Winter", "subtitle": "", "description": "Two foxes and much snow.",
        "cover_prompt": "Two foxes in the snow",
        "pages": [
            {"title": "First Snow", "prompt": "A fox looks at the falling snow", "caption": "It snows."},
            {"title": "The Key", "prompt": "A fox finds a key in the snow", "caption": ""},
        ],
    })
}

pub(super) const ALL: [&Api; 10] = [
    &OPENAI_IMAGES,
    &OPENROUTER,
    &GEMINI,
    &GEMINI_INTERACTIONS,
    &FLUX,
    &FAL,
    &COMFYUI,
    &OPENAI_PLANNER,
    &ANTHROPIC_PLANNER,
    &OPENAI_REVIEWER,
];
