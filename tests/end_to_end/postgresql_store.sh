#!/bin/sh
# The log store of heddle merge on a real PostgreSQL server, started here as its own user and ended again.
#   postgresql_store.sh MERGE_TEST        exit status 77: Debian's package postgresql is not installed
set -eu
. "$(dirname "$0")/../missing.sh"
test_binary=$(realpath "$1")
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
[ -n "$bin" ] || missing "the server of Debian's package postgresql is not installed"
data=$(mktemp -d)
# A server refuses to be root.
as_server() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; else "$@"; fi
}
[ "$(id -u)" != 0 ] || chown postgres:postgres "$data"
end() {
  as_server "$bin/pg_ctl" -D "$data/db" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$data"
}
trap end EXIT
cd "$data"
as_server "$bin/initdb" -D "$data/db" -U heddle --auth=trust >"$data/../initdb.$$" 2>&1 || { cat "$data/../initdb.$$"; exit 1; }
rm -f "$data/../initdb.$$"
as_server "$bin/pg_ctl" -D "$data/db" -w -l "$data/db/log" -o "-c listen_addresses= -k $data" start >/dev/null
HEDDLE_TEST_POSTGRESQL="postgresql:///postgres?host=$data&user=heddle" "$test_binary" --gtest_filter='PostgresqlServer.*'
