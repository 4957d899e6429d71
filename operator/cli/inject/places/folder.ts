import { accept } from '../../../errors/outcome';
import { FolderTexts } from './folder-texts';
import type { PackagePlace } from './place';

/**
 * Opens a package in a folder.
 *
 * @param folder - its top
 * @param drafts - where files under way are listed
 * @returns the place; files are written where they are
 */
export function folderPlace(folder: string, drafts: Set<string>): PackagePlace {
  const texts = new FolderTexts(folder, drafts);
  return {
    read: () => texts.read(),
    write: async (changed) => {
      const written = await texts.write(changed);
      if (!written.ok) return written;
      return accept({ note: `${String(changed.length)} files were written in ${folder}` });
    },
    storeFirst: (changed) => texts.write(changed),
    close: () => Promise.resolve(),
  };
}
