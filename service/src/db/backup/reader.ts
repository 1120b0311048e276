import {
  type BackupHeader,
  type BackupTable,
  type BackupTrailer,
  END_OF_ROWS,
  newDigest,
  notABackup,
  headerIn,
  damagedBackup,
  trailerIn,
} from './format.ts';
import { type Hash } from 'node:crypto';

/** Reads a backup once, from its start to its end. */
export interface BackupReader {
  header: BackupHeader;
  /** The rows of the next table, as for `COPY … FROM STDIN`. Read them to the end before the next table. */
  tables(): AsyncGenerator<{ table: BackupTable; rows: AsyncIterable<Buffer> }>;
  /** The end of the backup, after all tables. @throws AppregError `backup-unusable` if anything differs */
  end(): Promise<BackupTrailer>;
}

/** Maximum bytes of the header and the trailer. */
const LINE_LIMIT = 1_048_576;
const NEW_LINE = Buffer.from('\n');
const END_AFTER_LINE = Buffer.concat([NEW_LINE, END_OF_ROWS]);

/** @param source the backup without gzip @throws AppregError `backup-unusable`, `backup-newer` */
export async function openBackup(source: AsyncIterable<Buffer>): Promise<BackupReader> {
  const input = new BackupInput(source);
  const digest = newDigest();
  const first = await input.readLine();
  if (first === null) throw notABackup();
  const header = headerIn(first.toString('utf8'));
  digest.update(first);
  return {
    header,
    async *tables() {
      for (const table of header.tables) yield { table, rows: rowsOfTable(input, digest) };
    },
    async end() {
      const last = await input.readLine();
      if (last === null) throw damagedBackup('it is truncated');
      const trailer = trailerIn(last.toString('utf8'));
      if (trailer.sha256 !== digest.digest('hex')) throw damagedBackup('its content does not match its checksum');
      if (!(await input.isAtEnd())) throw damagedBackup('it contains data after its end');
      return trailer;
    },
  };
}

/** Reads the rows of a table, and the end of the table. @param digest of all bytes that are read */
async function* rowsOfTable(input: BackupInput, digest: Hash): AsyncGenerator<Buffer> {
  // Rows start after a line end, so that the end of an empty table is found in the same way.
  input.putBack(NEW_LINE);
  let isFirst = true;
  for (;;) {
    const end = input.indexOf(END_AFTER_LINE);
    // The last bytes may be the start of the end.
    const length = end === -1 ? input.length - END_OF_ROWS.length : end + NEW_LINE.length;
    if (length > NEW_LINE.length || (end !== -1 && length > 0)) {
      const rows = input.take(length).subarray(isFirst ? NEW_LINE.length : 0);
      isFirst = false;
      digest.update(rows);
      if (rows.length > 0) yield rows;
    }
    if (end !== -1) {
      digest.update(input.take(END_OF_ROWS.length));
      return;
    }
    if (!(await input.fill())) throw damagedBackup('it is truncated');
  }
}

/** The bytes of a backup that are not used yet. */
class BackupInput {
  private readonly chunks: AsyncIterator<Buffer>;
  private buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.chunks = source[Symbol.asyncIterator]();
  }

  get length(): number {
    return this.buffer.length;
  }

  indexOf(bytes: Buffer): number {
    return this.buffer.indexOf(bytes);
  }

  take(length: number): Buffer {
    const taken = this.buffer.subarray(0, length);
    this.buffer = this.buffer.subarray(length);
    return taken;
  }

  putBack(bytes: Buffer): void {
    this.buffer = Buffer.concat([bytes, this.buffer]);
  }

  /** Reads more of the source. @returns false at its end */
  async fill(): Promise<boolean> {
    const next = await this.chunks.next();
    if (next.done) return false;
    this.buffer = Buffer.concat([this.buffer, next.value]);
    return true;
  }

  /** The next line; null if the source ends before the line does, or if it is too long. */
  async readLine(): Promise<Buffer | null> {
    for (;;) {
      const end = this.indexOf(NEW_LINE);
      if (end !== -1) return this.take(end + 1);
      if (this.length > LINE_LIMIT || !(await this.fill())) return null;
    }
  }

  async isAtEnd(): Promise<boolean> {
    return this.length === 0 && !(await this.fill());
  }
}
