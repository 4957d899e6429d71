import { accept } from '../../errors/outcome';
import type { CommandParts } from '../arguments/command-parts';
import { versionText } from '../../runtime/version-text';

/**
 * Adds `ipam version`.
 *
 * @param parts - program and how to run
 */
export function addVersion({ program, runHere }: CommandParts): void {
  program
    .command('version')
    .description('show the version of this program')
    .action(() =>
      runHere(() => {
        const version = versionText();
        return Promise.resolve(
          accept({ value: { version, api: 3 }, table: [`ipam ${version}, version 3 of the IPAM-API`] }),
        );
      }),
    );
}
