//! Handlers with one type for all routes, which compile faster.
//!
//! axum nests half a dozen types around the type of each handler, and for each of them the compiler proves again that
//! the handler's future is `Send`, type by type. For the two hundred pages of `linepress-web` that took three quarters
//! of the time in which it compiles. Here it is proved once for each handler.
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use axum::handler::Handler;
use axum::response::{IntoResponse, Response};

type ResponseFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler for a router with the state `S`.
pub struct BoxedHandler<S>(Arc<dyn Fn(Request, S) -> ResponseFuture + Send + Sync>);

impl<S> Clone for BoxedHandler<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S: Send + Sync + 'static> Handler<(), S> for BoxedHandler<S> {
    type Future = ResponseFuture;

    fn call(self, request: Request, state: S) -> ResponseFuture {
        (self.0)(request, state)
    }
}

/// An asynchronous function with these arguments, a tuple.
pub trait AsyncFunction<Arguments>: Clone + Send + Sync + 'static {
    type Future: Future;

    fn call(self, arguments: Arguments) -> Self::Future;
}

/// A handler of an asynchronous function whose arguments axum extracts from the request. The last one may take the body
/// of the request.
pub fn handler<S, F, Arguments, M>(function: F) -> BoxedHandler<S>
where
    S: Send + Sync + 'static,
    F: AsyncFunction<Arguments>,
    F::Future: Future<Output: IntoResponse> + Send + 'static,
    Arguments: FromRequest<S, M> + Send + 'static,
    M: 'static,
{
    BoxedHandler(Arc::new(move |request, state| {
        let function = function.clone();
        Box::pin(async move {
            let arguments = match Arguments::from_request(request, &state).await {
                Ok(arguments) => arguments,
                Err(rejection) => return rejection.into_response(),
            };
            function.call(arguments).await.into_response()
        })
    }))
}

macro_rules! impl_async_function {
    ($($argument:ident),*) => {
        impl<F, Fut, $($argument),*> AsyncFunction<($($argument,)*)> for F
        where
            F: FnOnce($($argument),*) -> Fut + Clone + Send + Sync + 'static,
            Fut: Future,
        {
            type Future = Fut;

            #[expect(non_snake_case, reason = "the arguments have the names of their types")]
            fn call(self, ($($argument,)*): ($($argument,)*)) -> Fut {
                self($($argument),*)
            }
        }
    };
}

impl_async_function!(A);
impl_async_function!(A, B);
impl_async_function!(A, B, C);
impl_async_function!(A, B, C, D);
impl_async_function!(A, B, C, D, E);
impl_async_function!(A, B, C, D, E, G);
