import {
  type BackupHeader,
  type BackupTable,
  type BackupTrailer,
  damagedBackup,
  END_OF_ROWS,
  headerIn,
  newDigest,
  notABackup,
  trailerIn,
} from './backup-format.ts';

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
  const chunks = source[Symbol.asyncIterator]();
  const digest = newDigest();
  let buffer: Buffer = Buffer.alloc(0);

  /** Reads more of the source. @returns false at its end */
  async function fill(): Promise<boolean> {
    const next = await chunks.next();
    if (next.done) return false;
    buffer = Buffer.concat([buffer, next.value]);
    return true;
  }

  /** The next line; null if the source ends before the line does, or if it is too long. */
  async function readLine(): Promise<Buffer | null> {
    for (;;) {
      const end = buffer.indexOf(NEW_LINE);
      if (end !== -1) return take(end + 1);
      if (buffer.length > LINE_LIMIT || !(await fill())) return null;
    }
  }

  function take(length: number): Buffer {
    const taken = buffer.subarray(0, length);
    buffer = buffer.subarray(length);
    return taken;
  }

  async function* rowsOfTable(): AsyncGenerator<Buffer> {
    // Rows start after a line end, so that the end of an empty table is found in the same way.
    buffer = Buffer.concat([NEW_LINE, buffer]);
    let isFirst = true;
    for (;;) {
      const end = buffer.indexOf(END_AFTER_LINE);
      // The last bytes may be the start of the end.
      const length = end === -1 ? buffer.length - END_OF_ROWS.length : end + NEW_LINE.length;
      if (length > NEW_LINE.length || (end !== -1 && length > 0)) {
        const rows = take(length).subarray(isFirst ? NEW_LINE.length : 0);
        isFirst = false;
        digest.update(rows);
        if (rows.length > 0) yield rows;
      }
      if (end !== -1) {
        digest.update(take(END_OF_ROWS.length));
        return;
      }
      if (!(await fill())) throw damagedBackup('it is truncated');
    }
  }

  const first = await readLine();
  if (first === null) throw notABackup();
  const header = headerIn(first.toString('utf8'));
  digest.update(first);
  return {
    header,
    async *tables() {
      for (const table of header.tables) yield { table, rows: rowsOfTable() };
    },
    async end() {
      const last = await readLine();
      if (last === null) throw damagedBackup('it is truncated');
      const trailer = trailerIn(last.toString('utf8'));
      if (trailer.sha256 !== digest.digest('hex')) throw damagedBackup('its content does not match its checksum');
      if (buffer.length > 0 || (await fill())) throw damagedBackup('it contains data after its end');
      return trailer;
    },
  };
}
