import { StringDecoder } from 'node:string_decoder';
import type { ContentScan, SecretPlace } from '../../core/facts/facts.ts';
import { absoluteFolder, buildPathsIn, type OwnFolder, ownFolders } from './build-paths.ts';
import { type DetectorLimits, DetectorRun, type TakeTurn } from './detector-run.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Region } from './find-secrets.ts';
import { InlineMaps } from './inline-maps.ts';
import { MapSources } from './map-sources.ts';
import { Modules, shownSource } from './modules.ts';
import type { NamedSecret } from './redact-head.ts';
import { isPackageSample } from './package-samples.ts';
import type { FoundSecret } from './private-keys.ts';
import { type RegionBounds, regionsIn, countLines, openLineCounter, type TextWindow, TextWindows } from './regions.ts';
import { settingsFileAt } from './settings-files.ts';

/**
 * Scans the content of an archive's entries while they are read. Texts are searched in windows, in this thread; only
 * places that may be a secret go through the detectors. No text is kept, and no value of a secret leaves this folder.
 */

/** Bytes of an entry by which texts are distinguished from other files. */
const HEAD_BYTES = 8000;
/** Secrets that are listed: each takes some 20 ms for its fingerprint. */
const MAX_LISTED = 1000;
/** By default: different secrets that are counted, in any time. */
const LIMITS: DetectorLimits = { milliseconds: Infinity, secrets: 10_000 };
const MAX_PATHS = 50;
interface Task {
  region: Region;
  /** Number of the line that the region begins in; of the map's line in a source map. */
  line: number;
  isInMap: boolean;
  sourceAt: SourceAt;
}

/** The file that the code at an offset of a text came from; null if it is unknown. */
type SourceAt = (offset: number) => string | null;

export interface ContentScannerOptions {
  /** Folders of this machine that an artifact should not name. */
  folders?: readonly string[];
  /** Secrets that are listed; more are counted. */
  maxListed?: number;
  limits?: DetectorLimits;
}

export class ContentScanner {
  /** Also searches the names of the entries. */
  readonly detectors: DetectorRun;
  private readonly folders: readonly OwnFolder[];
  private readonly maxListed: number;
  private readonly tasks: Task[] = [];
  /** Values found, with their place if it is listed; only in memory. */
  private readonly values = new Map<string, SecretPlace | null>();
  private readonly secrets: ContentScan['secrets'] = [];
  private readonly buildPaths: ContentScan['buildPaths'] = [];
  private entry: EntryText | null = null;
  /** Bytes of the entry that are still expected. */
  private remaining = 0;

  constructor(
    { folders = [], maxListed = MAX_LISTED, limits = LIMITS }: ContentScannerOptions = {},
    takeTurn?: TakeTurn,
  ) {
    this.detectors = new DetectorRun(limits, takeTurn);
    this.folders = ownFolders(folders);
    this.maxListed = maxListed;
  }

  /** An entry begins. @param size its bytes; more are padding */
  open(path: string, size: number): void {
    this.entry?.end();
    this.remaining = size;
    this.entry =
      size === 0 || this.detectors.stopped !== null || isPackageSample(path)
        ? null
        : new EntryText(path, {
            window: (window, place) => this.onWindow(path, window, place),
            mapEnd: (sources, line) => this.addMapPaths(path, sources, line),
          });
  }

  /** Takes bytes of the entry, which may be reused when it returns. */
  write(bytes: Buffer): void {
    if (this.entry === null) return;
    const own = bytes.length > this.remaining ? bytes.subarray(0, this.remaining) : bytes;
    this.remaining -= own.length;
    this.entry.write(own);
    if (this.remaining > 0) return;
    this.entry.end();
    this.entry = null;
  }

  /** True if `drain` has to be called: places are waiting for the detectors. */
  get isBusy(): boolean {
    return this.tasks.length > 0;
  }

  /** Runs the detectors on the places found so far. */
  async drain(): Promise<void> {
    if (this.tasks.length === 0) return;
    const tasks = this.tasks.splice(0).values();
    await this.detectors.search(
      () => tasks.next().value,
      (secrets, task) => this.addAll(secrets, task),
    );
    if (this.detectors.stopped !== null) this.entry = null;
  }

  /** @param inNames the secrets in the names of the entries */
  async end(inNames: readonly NamedSecret[] = []): Promise<ContentScan> {
    this.entry?.end();
    this.entry = null;
    await this.drain();
    for (const { kind, value, name } of inNames) await this.add(kind, value, { entry: name, line: 0 }, null);
    const { secrets, values, buildPaths } = this;
    const { stopped } = this.detectors;
    const secretCount = values.size;
    values.clear();
    return { secrets, secretCount, buildPaths, ...(stopped !== null && { stopped }) };
  }

  /** @returns the number of different secrets */
  private async addAll(secrets: readonly FoundSecret[], task: Task): Promise<number> {
    const { region, line, isInMap, sourceAt } = task;
    const linesTo = openLineCounter(region.text);
    for (const { kind, value, from } of secrets) {
      const place = { entry: region.entry, line: isInMap ? line : line + linesTo(from) };
      await this.add(kind, value, place, shownSource(sourceAt(from)));
    }
    return this.values.size;
  }

  private async add(
    kind: string,
    value: string,
    place: { entry: string; line: number },
    source: string | null,
  ): Promise<void> {
    const known = this.values.get(value);
    if (known !== undefined) {
      // The map names the source of minified code.
      if (known !== null && known.entry === place.entry && source !== null) known.source ??= source;
      return;
    }
    const isListed = this.secrets.length < this.maxListed;
    const secret = isListed
      ? { kind, ...place, ...(source !== null && { source }), fingerprint: await fingerprintOf(kind, value) }
      : null;
    this.values.set(value, secret);
    if (secret !== null) this.secrets.push(secret);
  }

  private onWindow(entry: string, window: TextWindow, { mapLine, sourceAt }: WindowPlace): void {
    const isInMap = mapLine !== null;
    const { text, line, isFirst, isLast } = window;
    const isSettings = !isInMap && isFirst && settingsFileAt(entry) !== null;
    const secrets = regionsIn(window);
    const linesTo = openLineCounter(text);
    for (const { from, to, isFile } of isSettings ? settingsRegions(text, secrets) : secrets.map(ofOtherFile)) {
      const isStart = (isFirst && from === 0) || isFile;
      const isEnd = to === text.length ? isLast : isFile;
      const region = { text: text.slice(from, to), entry, isStart, isEnd, isFile };
      const sourceIn: SourceAt = (offset) => sourceAt(from + offset);
      this.tasks.push({ region, line: mapLine ?? line + linesTo(from), isInMap, sourceAt: sourceIn });
    }
    if (this.buildPaths.length >= MAX_PATHS) return;
    for (const { folder, from } of buildPathsIn(text, this.folders))
      if (from >= window.from && from < window.to)
        this.addPath(entry, folder, mapLine ?? line + countLines(text, 0, from));
  }

  private addMapPaths(entry: string, { sources, root }: MapSources, line: number): void {
    for (const source of root === null ? sources : [`${root}/`, ...sources]) {
      const folder = absoluteFolder(source);
      if (folder !== null) this.addPath(entry, folder, line);
    }
  }

  private addPath(entry: string, folder: string, line: number): void {
    if (/(^|\/)node_modules\//.test(entry) || this.buildPaths.length >= MAX_PATHS) return;
    const shown = folder.slice(0, 200);
    if (this.buildPaths.some((one) => one.entry === entry && one.folder.startsWith(shown))) return;
    this.buildPaths.push({ entry, line, folder: shown });
  }
}

interface ScanRegion extends RegionBounds {
  /** True if it is searched as a settings file. */
  isFile: boolean;
}

function ofOtherFile(place: RegionBounds): ScanRegion {
  return { ...place, isFile: false };
}

/** Characters of a settings file that are searched at once. */
const SETTINGS_PART = 32 * 1024;

/** A settings file as a whole; a large one in parts of whole lines, and the places of secrets of several lines. */
function settingsRegions(text: string, secrets: readonly RegionBounds[]): ScanRegion[] {
  if (text.length <= SETTINGS_PART) return [{ from: 0, to: text.length, isFile: true }];
  const parts: ScanRegion[] = [];
  for (let from = 0; from < text.length;) {
    const lineEnd = text.indexOf('\n', from + SETTINGS_PART);
    const to = lineEnd === -1 ? text.length : lineEnd + 1;
    parts.push({ from, to, isFile: true });
    from = to;
  }
  return [...parts, ...secrets.map(ofOtherFile)].toSorted((a, b) => a.from - b.from);
}

/** Where a window is. */
interface WindowPlace {
  /** The line of the code that contains the map; null for a window of the entry's own text. */
  mapLine: number | null;
  sourceAt: SourceAt;
}

interface EntrySink {
  window(window: TextWindow, place: WindowPlace): void;
  mapEnd(sources: MapSources, line: number): void;
}

/** A source map in a text, which is a text itself. */
interface MapText {
  windows: TextWindows;
  sources: MapSources;
}

/** The text of one entry, in windows, with the source maps in it. */
class EntryText {
  private readonly maps: InlineMaps;
  private readonly windows: TextWindows;
  /** The sources of an entry that is a source map. */
  private readonly own: MapSources | null;
  private readonly sink: EntrySink;
  private head: Buffer[] | null = [];
  private headBytes = 0;
  /** Null until the encoding is known, and for files that are not text. */
  private decoder: StringDecoder | null = null;

  constructor(path: string, sink: EntrySink) {
    this.sink = sink;
    this.own = path.endsWith('.map') ? new MapSources() : null;
    const { own } = this;
    const modules = new Modules();
    const windows = new TextWindows(
      own === null
        ? (window) => sink.window(window, { mapLine: null, sourceAt: modules.read(window) })
        : inMap(own, null, sink),
    );
    let map: MapText | null = null;
    this.windows = windows;
    this.maps = new InlineMaps({
      text: (text) => {
        own?.write(text);
        windows.write(text);
      },
      mapStart: () => {
        const sources = new MapSources();
        map = { sources, windows: new TextWindows(inMap(sources, windows.lastLine, sink)) };
      },
      mapText: (text) => {
        map?.sources.write(text);
        map?.windows.write(text);
      },
      mapEnd: () => {
        map?.windows.end();
        if (map !== null) sink.mapEnd(map.sources, windows.lastLine);
      },
    });
  }

  write(bytes: Buffer): void {
    if (this.head === null) return this.decode(bytes);
    this.head.push(Buffer.from(bytes));
    this.headBytes += bytes.length;
    if (this.headBytes >= HEAD_BYTES) this.start(this.head);
  }

  end(): void {
    if (this.head !== null) this.start(this.head);
    if (this.decoder === null) return;
    this.maps.write(this.decoder.end());
    this.maps.end();
    this.windows.end();
    if (this.own !== null) this.sink.mapEnd(this.own, 1);
  }

  private start(head: readonly Buffer[]): void {
    const bytes = Buffer.concat(head);
    this.head = null;
    const encoding = encodingOf(bytes.subarray(0, HEAD_BYTES));
    if (encoding === null) return;
    this.decoder = new StringDecoder(encoding);
    this.decode(bytes);
  }

  private decode(bytes: Buffer): void {
    if (this.decoder !== null) this.maps.write(this.decoder.write(bytes));
  }
}

/** Passes on the windows of a source map. */
function inMap(sources: MapSources, mapLine: number | null, sink: EntrySink): (window: TextWindow) => void {
  // The parts that belong to windows follow one another.
  let passed = 0;
  return (window) => {
    const start = passed - window.from;
    passed += window.to - window.from;
    sink.window(window, { mapLine, sourceAt: (offset) => sources.at(start + offset) });
  };
}

/** UTF-16 as editors of Windows write it, UTF-8 for any other text, null for a file that is not text. */
function encodingOf(head: Buffer): 'utf8' | 'utf16le' | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf16le';
  return head.includes(0) ? null : 'utf8';
}
