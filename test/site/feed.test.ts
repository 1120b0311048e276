import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { folder } from '../support/folders.ts';
import { HOSTILE } from '../support/hostile-values.ts';
import { BASE, registryWith, SITE, siteOf } from './site-fixture.ts';

/** Feeds, read by a parser of XML, and checked against the structure that RFC 4287 requires. */

interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

function parsed(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    expect(uri).toBe('http://www.w3.org/2005/Atom');
    const values = Object.entries(attributes).map(([name, { value }]) => [name, value]);
    const element: Element = { name: local, attributes: Object.fromEntries(values), children: [], text: '' };
    open.at(-1)!.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => void (open.at(-1)!.text += text));
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  return root.children[0]!;
}

const all = ({ children }: Element, name: string): Element[] => children.filter((child) => child.name === name);
const textOf = (element: Element, name: string): string => {
  const found = all(element, name);
  expect([name, found.length]).toEqual([name, 1]);
  return found[0]!.text;
};

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** What RFC 4287 requires of a feed (section 4.1.1) and of an entry (4.1.2). */
function expectAtom(feed: Element): void {
  expect(feed.name).toBe('feed');
  expect(new URL(textOf(feed, 'id')).href).toBe(textOf(feed, 'id'));
  textOf(feed, 'title');
  expect(textOf(feed, 'updated')).toMatch(RFC3339);
  expect(textOf(all(feed, 'author')[0]!, 'name')).not.toBe('');
  expect(all(feed, 'link').filter(({ attributes }) => attributes['rel'] === 'alternate')).toHaveLength(1);
  const ids = all(feed, 'entry').map((entry) => textOf(entry, 'id'));
  expect(new Set(ids).size).toBe(ids.length);
  for (const entry of all(feed, 'entry')) {
    expect(new URL(textOf(entry, 'id')).protocol).toBe('https:');
    expect(textOf(entry, 'title')).not.toBe('');
    expect(textOf(entry, 'published')).toMatch(RFC3339);
    expect(textOf(entry, 'updated')).toMatch(RFC3339);
    expect(all(entry, 'content')[0]!.attributes['type']).toBe('html');
    expect(all(entry, 'link')).toHaveLength(1);
  }
}

const about = (versions: Record<string, object>): { about: object; versions: string[] } => ({
  about: { schema: 1, versions },
  versions: Object.keys(versions),
});

async function feeds(apps: Parameters<typeof registryWith>[0], site = SITE): Promise<(path: string) => Element> {
  const out = folder();
  await siteOf(registryWith(apps), out, { site });
  return (path) => {
    const feed = parsed(readFileSync(join(out, path), 'utf8'));
    expectAtom(feed);
    return feed;
  };
}

describe('a feed', () => {
  test('has the versions with a date, newest first, with ids that both feeds share', async () => {
    const feed = await feeds({
      clock: about({
        '1.0.0': { published: '2026-01-01T00:00:00Z' },
        '1.1.0': {},
        '2.0.0': { published: '2026-03-01T00:00:00Z', notes: '**New** & better' },
      }),
      lamp: about({ '1.0.0': { published: '2026-02-01T00:00:00Z' } }),
    });
    const ids = (path: string): string[] => all(feed(path), 'entry').map((entry) => textOf(entry, 'id'));
    const url = `${BASE}registry.json`;
    expect(ids('feed.xml')).toEqual([`${url}#clock@2.0.0`, `${url}#lamp@1.0.0`, `${url}#clock@1.0.0`]);
    expect(ids('apps/clock.xml')).toEqual([`${url}#clock@2.0.0`, `${url}#clock@1.0.0`]);
    expect(textOf(feed('feed.xml'), 'updated')).toBe('2026-03-01T00:00:00Z');
    const [entry] = all(feed('feed.xml'), 'entry');
    expect(textOf(entry!, 'content')).toBe('<p><strong>New</strong> &amp; better</p>');
    expect(all(entry!, 'link')[0]!.attributes['href']).toBe(`${BASE}site/apps/clock.html`);
  });

  test('a retirement updates the entry, and keeps its id and its date of publication', async () => {
    const feed = await feeds({
      clock: about({
        '1.0.0': {
          published: '2026-01-01T00:00:00Z',
          deprecated: { reason: 'security', message: 'It leaks <tokens>.', since: '2026-05-01' },
        },
      }),
    });
    const [entry] = all(feed('apps/clock.xml'), 'entry');
    expect(textOf(entry!, 'published')).toBe('2026-01-01T00:00:00Z');
    expect(textOf(entry!, 'updated')).toBe('2026-05-01T00:00:00Z');
    expect(textOf(entry!, 'title')).toBe('clock 1.0.0 (retired: security)');
    expect(textOf(entry!, 'content')).toContain('It leaks &lt;tokens&gt;.');
  });

  test('has relative links without the address of the site, and no link to itself', async () => {
    const feed = await feeds(
      { clock: about({ '1.0.0': { published: '2026-01-01T00:00:00Z' } }) },
      { ...SITE, base: null },
    );
    const links = all(feed('apps/clock.xml'), 'link').map(({ attributes }) => attributes['href']);
    expect(links).toEqual(['../apps/clock.html']);
  });

  test('has the newest 50 versions', async () => {
    const versions = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [
        `1.${i}.0`,
        { published: new Date(Date.UTC(2026, 0, 1 + i)).toISOString() },
      ]),
    );
    const entries = all((await feeds({ clock: about(versions) }))('feed.xml'), 'entry');
    expect(entries).toHaveLength(50);
    expect(textOf(entries[0]!, 'title')).toBe('clock 1.59.0');
  });

  test('has versions of the same time with the highest first', async () => {
    const published = '2026-01-01T00:00:00Z';
    const said = about({ '1.9.0': { published }, '1.10.0': { published }, '1.2.0': { published } });
    for (const path of ['feed.xml', 'apps/clock.xml'])
      expect(all((await feeds({ clock: said }))(path), 'entry').map((entry) => textOf(entry, 'title'))).toEqual([
        'clock 1.10.0',
        'clock 1.9.0',
        'clock 1.2.0',
      ]);
  });

  test.each(HOSTILE.map((text) => [text]))('%j is text', async (text) => {
    const name = `${text}<b>&amp;]]>\uffff`;
    const feed = await feeds({
      clock: {
        name,
        ...about({ '1.0.0': { published: '2026-01-01T00:00:00Z', notes: name.replace(/\p{Cs}/gu, '') } }),
      },
    });
    expect(textOf(feed('apps/clock.xml'), 'title')).toContain('<b>&amp;]]>');
  });
});
