#!/usr/bin/env node
void require('../dist/node/main.cjs')
  .main(process.argv)
  .then((code) => {
    process.exitCode = code;
  });
