import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const operator = resolve(__dirname, '../../operator');

/** Files that may see the settings of the process; all others are given the few values that they need. */
const MOST_FILES = 25;
/** Where settings are made, and the processes that make them. */
const MAKERS = /^(?:settings\/|cli\/|main\.ts$)/u;

function readers(): readonly string[] {
  return readdirSync(operator, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !MAKERS.test(file))
    .filter((file) => importsSettings(readFileSync(join(operator, file), 'utf8')))
    .sort();
}

function importsSettings(text: string): boolean {
  return /\bfrom '(?:\.{1,2}\/)+settings\//u.test(text);
}

// Kinds of doors are handed the settings, whether they import a type for them or not.
function doorsWithoutImport(): readonly string[] {
  return readdirSync(join(operator, 'assembly/doors'))
    .map((file) => `assembly/doors/${file}`)
    .filter((file) => !importsSettings(readFileSync(join(operator, file), 'utf8')));
}

describe('the settings of the process', () => {
  test('are seen by few files', () => {
    expect(readers().length).toBeLessThanOrEqual(MOST_FILES);
  });

  test('are seen by the application and by the assembly alone', () => {
    expect(readers().filter((file) => !/^(?:application\.ts$|assembly\/)/u.test(file))).toEqual([]);
  });

  test('are declared by each door that is handed them', () => {
    expect(doorsWithoutImport()).toEqual([]);
  });

  test('are found by this test where they are', () => {
    expect(readers()).toContain('application.ts');
    expect(importsSettings("import type { Settings } from '../../settings/options';")).toBe(true);
  });
});
