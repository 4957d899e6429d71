import { accept } from '../../../errors/outcome';
import { folderTexts, writeTexts } from './folder-texts';
import type { PackagePlace } from './place';

/**
 * Opens a package in a folder.
 *
 * @param folder - its top
 * @param drafts - where files under way are listed
 * @returns the place; files are written where they are
 */
export function folderPlace(folder: string, drafts: Set<string>): PackagePlace {
  return {
    read: () => folderTexts(folder),
    write: async (changed) => {
      await writeTexts(folder, changed, drafts);
      return accept({ note: `${String(changed.length)} files were written in ${folder}` });
    },
    storeFirst: (changed) => writeTexts(folder, changed, drafts),
    close: () => Promise.resolve(),
  };
}
