import { message, safe, type SafeText } from '../../core/text/message.ts';
import { addition, type Folders } from '../references/inclusion.ts';
import { packageItems } from '../references/installed.ts';
import type { Reference } from '../references/reference.ts';

/** Packages that code does without, and of which one is installed here: code that finds none of them often fails. */

/**
 * A clause about the packages that are installed here, and that the archive does not contain; null for none.
 * @param missing what the archive does not contain
 * @param owner the package that failed, absolute
 */
export function installedOnlyHere(missing: readonly Reference[], owner: string, folders: Folders): SafeText | null {
  for (const { kind, target, source, isOptional } of missing) {
    if (kind !== 'package' || !isOptional || target === null || source?.startsWith(owner) !== true) continue;
    const items = packageItems(target, source, folders);
    if (items === null) continue;
    const added = items.length === 0 ? '' : message`; ${safe(addition(...items))}`;
    return message`it may need ${target}, which is installed here, and not in the archive${safe(added)}`;
  }
  return null;
}
