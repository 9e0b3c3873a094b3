//! Discovery documents, which an app reads first, possibly from a page of another site.
use axum::body::Body;
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn an_agent_that_knows_the_mcp_address_discovers_everything_it_needs() {
    let app = TestApp::start().await;
    let anyone = app.anonymous();
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
    ] {
        let resource = anyone.get(path).await.expect(200);
        assert_eq!(
            resource,
            json!({
                "resource": "http://linepress.test/mcp",
                "resource_name": "Linepress",
                "authorization_servers": ["http://linepress.test"],
                "scopes_supported": ["books:read", "books:write", "credits:spend"],
                "bearer_methods_supported": ["header"],
            })
        );
    }
    let server = anyone.get("/.well-known/oauth-authorization-server").await.expect(200);
    let methods = json!(["none", "client_secret_basic", "client_secret_post"]);
    assert_eq!(
        server,
        json!({
            "issuer": "http://linepress.test",
            "authorization_endpoint": "http://linepress.test/oauth/authorize",
            "token_endpoint": "http://linepress.test/oauth/token",
            "registration_endpoint": "http://linepress.test/oauth/register",
            "revocation_endpoint": "http://linepress.test/oauth/revoke",
            "scopes_supported": ["books:read", "books:write", "credits:spend"],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_methods_supported": methods,
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
            "client_id_metadata_document_supported": true,
            "protected_resources": ["http://linepress.test/mcp"],
        })
    );
}

#[tokio::test]
async fn apps_in_browsers_may_call_endpoints_without_cookies() {
    let app = TestApp::start().await;
    let anyone = app.anonymous();
    let origin = ("origin", "https://inspector.test");
    for path in [
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/oauth/register",
        "/oauth/token",
        "/oauth/revoke",
    ] {
        let preflight = [
            origin,
            ("access-control-request-method", "POST"),
            (
                "access-control-request-headers",
                "content-type,mcp-protocol-version,authorization",
            ),
        ];
        let reply = anyone.send("OPTIONS", path, &preflight, Body::empty()).await;
        assert_eq!(reply.status, 200, "{path}");
        assert_eq!(reply.header("access-control-allow-origin"), "*");
        assert_eq!(
            reply.header("access-control-allow-headers"),
            "content-type,mcp-protocol-version,authorization"
        );
        assert!(!reply.headers.contains_key("access-control-allow-credentials"));
        let method = if path.starts_with("/oauth") { "POST" } else { "GET" };
        let reply = anyone.send(method, path, &[origin], Body::empty()).await;
        assert_eq!(reply.header("access-control-allow-origin"), "*", "{path}");
    }
    let page = anyone.send("GET", "/oauth/authorize", &[origin], Body::empty()).await;
    assert!(!page.headers.contains_key("access-control-allow-origin"));
}
