import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followFile } from '../../../../../operator/backends/sql/sqlite/same-file';

describe('followFile', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'same-file-'));
    path = join(folder, 'store');
    writeFileSync(path, 'one');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('finds nothing wrong while the file only changes', () => {
    const problem = followFile(path);
    writeFileSync(path, 'another text');
    expect(problem()).toBeUndefined();
  });

  test.each<[string, () => void]>([
    [
      'removed',
      () => {
        rmSync(path);
      },
    ],
    [
      'replaced',
      () => {
        writeFileSync(`${path}.new`, 'two');
        renameSync(`${path}.new`, path);
      },
    ],
    [
      'gone with its folder',
      () => {
        rmSync(folder, { recursive: true });
      },
    ],
  ])('tells that the file was %s', (_how, harm) => {
    const problem = followFile(path);
    harm();
    expect(problem()).toContain(`"${path}" was removed or replaced`);
  });
});
