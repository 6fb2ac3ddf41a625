# missing WHAT: for tests in shell. Ends one that needs something that is not installed: by hand it is skipped, and
# scripts/test, which has installed everything (HEDDLE_TEST_STRICT), fails.
missing() {
  if [ -n "${HEDDLE_TEST_STRICT:-}" ]; then
    echo "FAILED: $*; scripts/setup should have brought it" >&2
    exit 1
  fi
  echo "skipped: $* (scripts/setup test)"
  exit 77
}
