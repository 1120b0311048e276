#!/usr/bin/env node
/** The packages that bring commands of their own, which are ES modules. */
const PACKAGES = { service: 'appreg-service', conformance: 'appreg-conformance' };

/** Yarn's Plug'n'Play finds what an ES module imports only if import() loads it first, and not require(). */
async function loadPackages(words) {
  const names = Object.keys(PACKAGES).filter((name) => words.includes(name));
  // The command itself reports a package that cannot be loaded.
  await Promise.allSettled(names.map((name) => import(PACKAGES[name])));
}

async function start() {
  if (process.versions.pnp) await loadPackages(process.argv.slice(2));
  process.exitCode = await require('../dist/node/main.cjs').main(process.argv);
}

void start();
