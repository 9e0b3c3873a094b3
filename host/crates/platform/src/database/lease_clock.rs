//! The clock for leases and pauses, on which all nodes agree.
//!
//! On PostgreSQL it is the clock of the database server; on SQLite it is the clock of this process. Statements contain
//! `{now}` for its time, and bind the result of `Database::lease_time` as `$1`.
use sqlx::query::{Query, QueryAs, QueryScalar};
use sqlx::{Any, AssertSqlSafe};

use super::Database;
use crate::clock::{Clock, Timestamp};

#[derive(Clone, Copy)]
pub struct LeaseClock<'a> {
    pub database: &'a Database,
    pub clock: &'a Clock,
}

type AnyArguments = <Any as sqlx::Database>::Arguments;

impl LeaseClock<'_> {
    fn statement(self, text: &str) -> AssertSqlSafe<String> {
        AssertSqlSafe(text.replace("{now}", self.database.dialect.lease_time()))
    }

    fn now(self) -> Option<Timestamp> {
        self.database.lease_time(self.clock)
    }

    pub fn query(self, text: &str) -> Query<'static, Any, AnyArguments> {
        sqlx::query(self.statement(text)).bind(self.now())
    }

    pub fn query_as<O: for<'r> sqlx::FromRow<'r, sqlx::any::AnyRow>>(
        self,
        text: &str,
    ) -> QueryAs<'static, Any, O, AnyArguments> {
        sqlx::query_as(self.statement(text)).bind(self.now())
    }

    pub fn query_scalar<O>(self, text: &str) -> QueryScalar<'static, Any, O, AnyArguments>
    where
        (O,): for<'r> sqlx::FromRow<'r, sqlx::any::AnyRow>,
    {
        sqlx::query_scalar(self.statement(text)).bind(self.now())
    }
}
