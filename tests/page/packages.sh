# To be sourced: leaves ./packages/node_modules, from the lock file in $sources.
# The packages that the lock file names, once for each lock file.
if ! cmp -s "$sources/package-lock.json" packages/package-lock.json; then
  rm -rf packages && mkdir packages
  cp "$sources/package.json" "$sources/.npmrc" packages
  (cd packages && cp "$sources/package-lock.json" . && npm ci --ignore-scripts --prefer-offline --loglevel=error) || {
    rm -rf packages
    # The network is none of what scripts/setup installs.
    echo "skipped: npm cannot fetch the packages that the lock file names"
    exit 77
  }
fi
