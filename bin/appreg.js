#!/usr/bin/env node
void require('../dist/cli/main.cjs')
  .main(process.argv)
  .then((code) => {
    process.exitCode = code;
  });
