import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderPlace } from '../../../../../operator/cli/inject/places/folder';
import { valueOf } from '../../../../../operator/errors/ipam-error';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipam-folder-'));
  put('a.yaml', 'a: 1\n');
  mkdirSync(at('sub'));
  put('sub/b.yaml', 'b: 1\n');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const at = (path: string): string => join(folder, path);
const put = (path: string, text: string): void => {
  writeFileSync(at(path), text);
};
const textOf = (path: string): string => readFileSync(at(path), 'utf8');

/** A place whose files were read, and the same files with one more line. */
async function opened() {
  const place = folderPlace(folder, new Set());
  const read = valueOf(await place.read());
  return { place, changed: read.map(({ path, text }) => ({ path, text: `${text}more: 1\n` })) };
}
const conflict = (says: string) => ({
  ok: false,
  refusal: { code: 'store/conflict', message: expect.stringContaining(says) as string },
});

test('a file that was edited meanwhile is left as it is, and so are the others', async () => {
  const { place, changed } = await opened();
  put('sub/b.yaml', 'b: 1\nuser: edit\n');
  expect(await place.write(changed, [])).toMatchObject(conflict('sub/b.yaml'));
  expect([textOf('a.yaml'), textOf('sub/b.yaml')]).toEqual(['a: 1\n', 'b: 1\nuser: edit\n']);
  expect(readdirSync(folder).toSorted()).toEqual(['a.yaml', 'sub']);
});

test('a file that was deleted meanwhile does not come back', async () => {
  const { place, changed } = await opened();
  rmSync(at('a.yaml'));
  expect(await place.write(changed, [])).toMatchObject(conflict('a.yaml'));
  expect(readdirSync(folder)).toEqual(['sub']);
});

test('a folder that became a link meanwhile is not written through', async () => {
  const { place, changed } = await opened();
  renameSync(at('sub'), at('.other'));
  symlinkSync('.other', at('sub'));
  expect(await place.write(changed, [])).toMatchObject(conflict('sub/b.yaml'));
  expect(textOf('.other/b.yaml')).toBe('b: 1\n');
});

test('what the place itself stored first is written again', async () => {
  const { place, changed } = await opened();
  expect(await place.storeFirst?.(changed.slice(0, 1))).toMatchObject({ ok: true });
  expect(await place.write([{ path: 'a.yaml', text: 'a: 2\n' }], [])).toMatchObject({ ok: true });
  expect(textOf('a.yaml')).toBe('a: 2\n');
});

test('of two runs at once one stores its text, and the other is refused', async () => {
  const [one, two] = [await opened(), await opened()];
  const stored = await Promise.all([one.place.storeFirst?.(one.changed), two.place.storeFirst?.(two.changed)]);
  expect(stored.map((each) => each?.ok).toSorted()).toEqual([false, true]);
  expect(stored).toContainEqual(expect.objectContaining(conflict('')));
});

test('a run that writes keeps others from writing', async () => {
  const { place, changed } = await opened();
  put('.ipam-inject.lock', '');
  expect(await place.write(changed, [])).toMatchObject(conflict('.ipam-inject.lock'));
  expect(textOf('a.yaml')).toBe('a: 1\n');
  rmSync(at('.ipam-inject.lock'));
  expect(await place.write(changed, [])).toMatchObject({ ok: true });
});
