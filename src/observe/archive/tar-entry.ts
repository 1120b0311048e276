import type { ArchiveEntry } from '../../core/facts/facts.ts';
import type { Name, TarHeader } from './header.ts';
import { DATALESS, ENTRY_TYPES, PATH_LIMIT, type TarNotes } from './notes.ts';
import type { TarExtensions } from './tar-extensions.ts';

/**
 * An entry as its header and extended headers describe it; what readers disagree about is noted.
 * @param size the bytes of data that readers expect after the header
 */
export function describeEntry(
  header: TarHeader,
  size: number,
  extensions: TarExtensions,
  notes: TarNotes,
): ArchiveEntry {
  const name = extensions.pathOf(header);
  const linkName = extensions.linkOf(header);
  const path = name.text.slice(0, PATH_LIMIT);
  const type = entryType(header, name);
  const isLink = type === 'link' || type === 'symlink';
  const { pax } = extensions;
  if (header.strayPrefix) notes.add('prefix-without-ustar', path);
  if (extensions.namesDiffer) notes.add('path-differs', path);
  if (pax?.link && !isLink) notes.add('link-on-file', path);
  if (pax?.sparse || header.type === 'S') notes.add('sparse-file', path);
  else if (type === 'other') notes.add('unknown-type', path);
  if (pax?.size !== undefined && paxSizeDiffers(pax.size, header.size)) notes.add('pax-size-differs', path);
  if (!hasData(type) && size > 0) notes.add('data-without-file', path);
  if (name.text.length > PATH_LIMIT || linkName.text.length > PATH_LIMIT) notes.add('path-too-long', path);
  if (!name.utf8 || (isLink && !linkName.utf8)) notes.add('name-not-utf8', path);
  if (Number.isNaN(header.mode)) notes.add('number-unreadable', path);
  const link = isLink ? linkName.text.slice(0, PATH_LIMIT) : null;
  return { path, type, size, mode: header.mode > 0 ? header.mode : 0, link };
}

/** Whether data follows the header of an entry of this type. */
export function hasData(type: ArchiveEntry['type']): boolean {
  return !DATALESS.has(type);
}

function entryType(header: TarHeader, name: Name): ArchiveEntry['type'] {
  const type = ENTRY_TYPES[header.type] ?? 'other';
  return type === 'file' && name.text.endsWith('/') ? 'directory' : type;
}

/** A size that 11 octal digits cannot hold is only in the PAX header; the header's own field is then 0. */
function paxSizeDiffers(inPax: number, inHeader: number): boolean {
  if (Number.isNaN(inPax)) return true;
  return inPax !== inHeader && !(inHeader === 0 && inPax >= 8 ** 11);
}
