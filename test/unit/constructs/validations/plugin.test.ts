import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  objectsIn,
  reportTo,
  type ReportedViolation,
  type ValidationContext,
} from '../../../../constructs/validations/plugin';

/** A context that remembers what was handed in. */
function recorded(files: Readonly<Record<string, unknown[]>>) {
  const violations: ReportedViolation[] = [];
  const ends: unknown[] = [];
  const context: ValidationContext = {
    manifests: Object.keys(files),
    parseManifest: (path) => files[path] ?? [],
    report: {
      addViolation: (violation) => violations.push(violation),
      submit: (status, metadata) => ends.push([status, metadata]),
    },
  };
  return { context, violations, ends };
}

describe('objectsIn', () => {
  test('takes the objects of a List each for itself and leaves empty documents out', () => {
    const [a, b] = ['a', 'b'].map((name) => ({ kind: 'Pod', metadata: { name } }));
    const list = { kind: 'List', items: [a, null, { kind: 'PodList', items: [b] }] };
    expect(objectsIn([null, list, 'text', { kind: 'X' }], 'f').map(({ object }) => object)).toEqual([a, b]);
  });
});

describe('reportTo', () => {
  test('removes the construct metadata of its app, which kubectl would take for a manifest, and no other', () => {
    const folder = mkdtempSync(join(tmpdir(), 'metadata-'));
    const [mine, foreign, chart] = [join(folder, 'dist'), folder, join(folder, 'dist', 'chart')];
    mkdirSync(chart, { recursive: true });
    const written = (of: string, name: string): void => {
      writeFileSync(join(of, 'construct-metadata.json'), JSON.stringify({ resources: { [name]: { path: 'a/b' } } }));
    };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };
    for (const path of [join(mine, 'a.yaml'), join(chart, 'a.yaml')]) {
      written(mine, 'web');
      written(foreign, 'other');
      reportTo(recorded({ [path]: [pod] }).context, 'Rules', () => []);
      expect(existsSync(join(mine, 'construct-metadata.json'))).toBe(false);
      expect(existsSync(join(foreign, 'construct-metadata.json'))).toBe(true);
    }
    rmSync(folder, { recursive: true });
  });

  test('hands in every violation with rule, object and file, and then the end', () => {
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };
    const { context, violations, ends } = recorded({ 'b.yaml': [], 'a.yaml': [object] });
    reportTo(context, 'Rules', (objects) =>
      objects.map((placed) => ({ rule: 'r', recommendation: 'why', fix: 'how', placed, locations: ['spec: absent'] })),
    );
    expect(violations).toEqual([
      {
        ruleName: 'r',
        recommendation: 'why',
        fix: 'how',
        violatingResources: [{ resourceName: 'web', manifestPath: 'a.yaml', locations: ['spec: absent'] }],
      },
    ]);
    expect(ends).toEqual([['failure', { Validation: 'Rules' }]]);
  });

  test('ends with success where nothing is wrong', () => {
    const { context, ends } = recorded({});
    reportTo(context, 'Rules', () => []);
    expect(ends).toEqual([['success', { Validation: 'Rules' }]]);
  });
});
