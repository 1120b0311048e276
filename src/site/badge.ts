import { printable, redact, shorten } from '../core/text/text.ts';
import type { CatalogueApp } from './catalogue.ts';

/** The badge of an app, in the schema of shields.io endpoints (https://shields.io/badges/endpoint-badge). */
export function badgeText({ name, latest: { version, retired } }: CatalogueApp): string {
  const badge = {
    schemaVersion: 1,
    label: printable(shorten(redact(name), 60)),
    message: retired === null ? `v${version}` : `v${version} retired`,
    color: retired === null ? 'blue' : COLORS[retired.reason],
  };
  return `${JSON.stringify(badge)}\n`;
}

const COLORS = {
  security: 'red',
  broken: 'red',
  legal: 'orange',
  unmaintained: 'lightgrey',
  superseded: 'lightgrey',
} as const;
