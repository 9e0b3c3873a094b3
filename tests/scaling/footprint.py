#!/usr/bin/env python3
"""Measures what one book takes, on a temporary PostgreSQL server: transactions, processor time of the database, write-ahead
log, rows, and objects. docs/scaling.md calculates with the results.

    cargo xtask plugins --out target/footprint-plugins && cargo build --bin linepress
    python3 tests/scaling/footprint.py target/debug/linepress target/footprint-plugins

Needs the server programs of PostgreSQL, 13 or newer, and as root the user `postgres`. The program may be a development
build: PostgreSQL does the same work for it, and only the processor time of the server itself is that of such a build.
"""

import argparse
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

PAGES = 24
WARM_UP_BOOKS = 1

# The last statement of the transaction that completes a drawing locks the row of its provider, model and day until the
# commit. This transaction consists of nothing else, so its rate on one row bounds that of the drawings of one model.
TOTALS = """
\\set day random(1, {rows})
BEGIN;
INSERT INTO provider_days (day, provider, model, drawings, credits, failures, attempts, draw_microseconds, cost_microdollars)
  VALUES (:day, 'acme.flux', '', 1, 1, 0, 1, 1, 1)
  ON CONFLICT (day, provider, model) DO UPDATE SET attempts = provider_days.attempts + 1;
COMMIT;
"""
TOTALS_SECONDS = 10
TOTALS_CONNECTIONS = 16


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def postgres_programs():
    versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    return versions[-1] if versions else pathlib.Path(shutil.which("initdb")).parent


class Postgres:
    """A server in a temporary folder, with the durability of a real one."""

    def __init__(self, folder):
        self.programs, self.folder, self.port = postgres_programs(), folder / "postgres", free_port()
        self.folder.mkdir()
        self.as_user = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
            self.as_user = ["runuser", "--user", "postgres", "--"]
        self.run("initdb", "--username=linepress", "--auth=trust", "--encoding=UTF8", "--no-locale", "--pgdata", self.folder / "data")
        settings = f"-c port={self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=100"
        self.run("pg_ctl", "start", "--wait", "--pgdata", self.folder / "data", "--log", self.folder / "log", "--options", settings)
        self.url = f"postgres://linepress@127.0.0.1:{self.port}/postgres"

    def run(self, program, *arguments, **options):
        command = [*self.as_user, self.programs / program, *arguments]
        options.setdefault("stdout", subprocess.DEVNULL)
        return subprocess.run(command, cwd=self.folder, check=True, text=True, **options)

    def value(self, query):
        psql = self.run("psql", "--tuples-only", "--no-align", "--dbname", self.url, "--command", query, stdout=subprocess.PIPE)
        return float(psql.stdout.strip() or 0)

    def processor_seconds(self):
        """Of the main process, of its children, and of those that have ended."""
        pid = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        ticks = sum(fields(pid)[11:15])
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parent, *times = (fields(int(entry.name))[i] for i in (1, 11, 12))
                except (OSError, IndexError):
                    continue
                ticks += sum(times) if parent == pid else 0
        return ticks / os.sysconf("SC_CLK_TCK")

    def totals_per_second(self, rows=1, synchronous_commit="on"):
        script = self.folder / "totals.sql"
        script.write_text(TOTALS.replace("{rows}", str(rows)))
        options = ["--no-vacuum", f"--client={TOTALS_CONNECTIONS}", f"--time={TOTALS_SECONDS}", f"--file={script}", self.url]
        environment = os.environ | {"PGOPTIONS": f"-c synchronous_commit={synchronous_commit}"}
        output = self.run("pgbench", *options, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        return float(output.partition("tps = ")[2].split()[0])

    def stop(self):
        self.run("pg_ctl", "stop", "--mode=immediate", "--pgdata", self.folder / "data")


def fields(pid):
    """The numbers of /proc/PID/stat after the name of the program: the state becomes 0."""
    text = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return [int(word) if word.lstrip("-").isdigit() else 0 for word in text]


class Linepress:
    """A server with one account, on that database."""

    def __init__(self, folder, program, plugins, provider, database):
        self.data = folder / "data"
        self.data.mkdir()
        self.address = f"127.0.0.1:{free_port()}"
        self.program = program
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("LINEPRESS_")}
        self.environment |= {
            "LINEPRESS_DATA_DIR": str(self.data),
            "LINEPRESS_PLUGINS_DIR": str(plugins),
            "LINEPRESS_IMAGE_PROVIDERS": provider,
            "LINEPRESS_DATABASE_URL": database,
            "LINEPRESS_LISTEN": self.address,
            "LINEPRESS_LOG": "warn",
        }
        self.process = subprocess.Popen([program, "serve"], cwd=self.data, env=self.environment, stdout=subprocess.DEVNULL)
        self.wait_until_ready()
        self.command("account", "create", "--email", "ada@example.com", "--plan", "business", "--credits", "100000")
        self.key = self.command("key", "create", "--email", "ada@example.com", "--name", "footprint").strip()

    def command(self, *arguments):
        run = subprocess.run([self.program, *arguments], cwd=self.data, env=self.environment, check=True, stdout=subprocess.PIPE, text=True)
        return run.stdout

    def wait_until_ready(self):
        for _ in range(3000):
            try:
                with urllib.request.urlopen(f"http://{self.address}/readyz"):
                    return
            except OSError:
                time.sleep(0.2)
        raise SystemExit("the server is not ready after ten minutes")

    def request(self, method, path, body=None, **headers):
        request = urllib.request.Request(f"http://{self.address}/api/v1{path}", method=method, headers={"Authorization": f"Bearer {self.key}", **headers})
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request) as reply:
            return reply.read()

    def book(self, number):
        """Makes a book as a client does: plan, order, poll, and both files for a printer. Returns the number of polls."""
        plan = {"book_plan": {"theme": f"A woodland day {number}", "page_count": PAGES, "audience": "child"}}
        plan = json.loads(self.request("POST", "/book_plans", plan))["book_plan"]["generation_request"]
        reply = json.loads(self.request("POST", "/books", plan, **{"Idempotency-Key": f"book-{number}"}))
        operation, polls = reply["operation"]["id"], 0
        while True:
            polls += 1
            state = json.loads(self.request("GET", f"/operations/{operation}"))["operation"]
            if state["status"] in ("succeeded", "partially_succeeded", "failed"):
                break
            time.sleep(5)
        if state["status"] != "succeeded":
            raise SystemExit(f"the book {state['status']}")
        for part in ("interior", "cover"):
            self.request("GET", f"/books/{reply['book']['id']}/pdf?edition=kdp&part={part}")
        return polls

    def objects(self):
        files = [path for path in (self.data / "objects").rglob("*") if path.is_file()]
        pdfs = [path for path in files if path.relative_to(self.data / "objects").parts[0] == "prints"]
        return len(files), sum(path.stat().st_size for path in files), sum(path.stat().st_size for path in pdfs)

    def processor_seconds(self):
        return sum(fields(self.process.pid)[11:15]) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def measured(postgres, server):
    postgres.value("SELECT 1 FROM pg_stat_force_next_flush()")
    time.sleep(2)
    objects, object_bytes, pdf_bytes = server.objects()
    return {
        "transactions of the database": postgres.value("SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'"),
        "processor time of the database, ms": 1000 * postgres.processor_seconds(),
        "write-ahead log, bytes": postgres.value("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"),
        "tables and indexes, bytes": postgres.value("SELECT pg_database_size('postgres')"),
        "processor time of the server, ms": 1000 * server.processor_seconds(),
        "objects": objects,
        "objects, bytes": object_bytes,
        "of these PDFs, bytes": pdf_bytes,
    }


def main():
    parser = argparse.ArgumentParser(description="Measures what one book takes.")
    parser.add_argument("program", type=pathlib.Path, help="the path of linepress")
    parser.add_argument("plugins", type=pathlib.Path, help="the folder of its plugins")
    parser.add_argument("--provider", default="linepress.sketchbook", help="the image provider, a plugin in that folder")
    parser.add_argument("--books", type=int, default=4)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="linepress-footprint-") as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        postgres = Postgres(folder)
        try:
            server = Linepress(folder, arguments.program.resolve(), arguments.plugins.resolve(), arguments.provider, postgres.url)
            try:
                report(postgres, server, arguments.books)
            finally:
                server.stop()
        finally:
            postgres.stop()


def report(postgres, server, books):
    for number in range(WARM_UP_BOOKS):
        server.book(f"warm-{number}")
    idle = measured(postgres, server)
    time.sleep(30)
    before, idle_seconds = measured(postgres, server), 32
    began = time.monotonic()
    polls = sum(server.book(number) for number in range(books))
    seconds = time.monotonic() - began
    after = measured(postgres, server)
    print(f"per book of {PAGES} pages and a cover, {books} books in {seconds:.0f} s, {polls / books:.0f} polls each:")
    for name, value in after.items():
        # Idle servers poll, too.
        rest = (before[name] - idle[name]) / idle_seconds * seconds if "transactions" in name or "processor" in name else 0
        print(f"{name:40} {(value - before[name] - rest) / books:14.0f}")
    print(f"additions to totals per second, by {TOTALS_CONNECTIONS} connections:")
    for name, options in [
        ("to one row", {}),
        ("to one row, synchronous_commit = off", {"synchronous_commit": "off"}),
        ("to one of a million rows", {"rows": 1_000_000}),
    ]:
        print(f"{name:40} {postgres.totals_per_second(**options):14.0f}")


if __name__ == "__main__":
    main()
