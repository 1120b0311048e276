#!/usr/bin/env node
require('../dist/cli/main.cjs')
  .main(process.argv)
  .then((code) => {
    process.exitCode = code;
  });
