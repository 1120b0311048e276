import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { describe, test } from 'vitest';
import { certificates } from '../support/fault-certificates.ts';
import { folder } from '../support/folders.ts';

/** A real Chromium on a page of the service, which trusts our authority and finds every name of ours on this machine. */

interface Ask {
  way: string;
  url: string;
}
export interface Service {
  /** Requests many URLs from a page at this origin; the results are in the same order. */
  ask(origin: string, asks: readonly Ask[]): Promise<unknown[]>;
  close(): Promise<void>;
}

const INSTALL = 'apt-get install --no-install-recommends chromium-headless-shell libnss3-tools';
/** The first one has the same engine without windows, and takes half of the CPU time. */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Where the browser is; APPREG_CHROMIUM names another one. */
function executable(): string | null {
  return process.env['APPREG_CHROMIUM'] ?? PROGRAMS.map(inPath).find((file) => file !== null) ?? null;
}

function inPath(name: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((one) => one !== '');
  return folders.map((one) => join(one, name)).find((file) => existsSync(file)) ?? null;
}

/** Why there can be no test in a browser, or null. */
function reasonToSkip(): string | null {
  if (process.platform !== 'linux') return 'a browser is given an authority of our own on Linux alone';
  if (executable() === null) return `there is no Chromium. To install it: ${INSTALL}`;
  return inPath('certutil') === null ? `there is no certutil. To install it: ${INSTALL}` : null;
}

/** Tests that need Chromium: skipped with a warning on a machine without it, and a failure in CI. */
export function describeInChromium(name: string, body: () => void): void {
  const reason = reasonToSkip();
  if (reason === null) return void describe(name, body);
  if (process.env['CI'] && process.platform === 'linux') {
    test(name, () => {
      throw new Error(`Not run: ${reason}`);
    });
    return;
  }
  console.warn(`Skipped, "${name}": ${reason}`);
  describe.skip(`${name} (${reason})`, body);
}

/** A browser that trusts our authority, or the given one, with further arguments. */
export async function launch(args: readonly string[] = [], ca: string = certificates().ca): Promise<Browser> {
  const home = folder();
  trust(home, ca);
  return chromium.launch({
    executablePath: executable()!,
    env: { ...process.env, HOME: home },
    args: [
      // A container's root has no sandbox to use; the only pages are ours.
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      // Without windows, Chromium sends no Accept-Language by default.
      '--accept-lang=en-US,en;q=0.9',
      ...args,
    ],
  });
}

/**
 * Launches the browser. Certificates are checked as ever: the authority is in the certificate store of a home of
 * its own, and names are mapped to this machine.
 * @param mappings as Chromium's --host-resolver-rules has them
 */
export async function openService(mappings: readonly string[]): Promise<Service> {
  const browser = await launch([`--host-resolver-rules=${mappings.join(', ')}`]);
  const pages = new Map<string, Promise<Page>>();

  async function open(origin: string): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(`${origin}/`);
    return page;
  }

  return {
    async ask(origin, asks) {
      if (!pages.has(origin)) pages.set(origin, open(origin));
      const page = await pages.get(origin)!;
      // The page's own script has the function; it is not known here.
      return page
        .evaluate(
          (list) => (globalThis as unknown as { look(list: readonly Ask[]): Promise<unknown[]> }).look(list),
          asks,
        )
        .catch((error: unknown) => {
          // Its stack has addresses of the page, which the test runner would look for on disk.
          throw new Error(`In the page: ${String(error).split('\n', 1)[0]}`);
        });
    },
    close: () => browser.close(),
  };
}

function trust(home: string, ca: string): void {
  const store = join(home, '.pki/nssdb');
  mkdirSync(store, { recursive: true });
  writeFileSync(join(home, 'ca.pem'), ca);
  const certutil = (...args: string[]): void =>
    void execFileSync('certutil', ['-d', `sql:${store}`, ...args], { stdio: 'pipe' });
  certutil('-N', '--empty-password');
  certutil('-A', '-t', 'C,,', '-n', 'Test Root', '-i', join(home, 'ca.pem'));
}

/** The page that the service's host serves. */
export const PAGE = readFileSync(join(import.meta.dirname, 'page.html'));
