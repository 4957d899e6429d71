import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IPAM, METALLB } from '../../operator/contract/group';
import type { KubeObject } from './support/cluster-client';
import type { Wanted } from './support/service-scene';
import { useInstallation } from './support/use-installation';

const {
  plane,
  operator,
  scene: sceneIn,
} = useInstallation({
  props: { zones: [{ name: 'calm', prefixes: ['10.79.0.0/24'], quota: 2 }] },
  prepare: () => scene.open(),
});
const scene = sceneIn('a');
const inZone = (zone: string, addresses?: string): Wanted => ({
  annotations: { [IPAM.zone]: zone, ...(addresses === undefined ? {} : { [IPAM.addresses]: addresses }) },
});

function fileOf(name: string, wanted: Wanted): string {
  const file = join(plane().folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(scene.manifest(name, wanted)));
  return file;
}

/** Runs kubectl; what it prints when it fails. */
async function refusal(...words: string[]): Promise<string> {
  const thrown: unknown = await plane()
    .kubectl(...words)
    .then(
      () => new RangeError('it was not refused'),
      (error: unknown) => error,
    );
  return String((thrown as { readonly stderr?: string }).stderr ?? thrown).replaceAll(/\/[^ ]+\.json/gu, 'FILE');
}

const annotationsOf = (text: string): Readonly<Record<string, string>> =>
  (JSON.parse(text) as KubeObject).metadata.annotations ?? {};

describe('FU-18 kubectl with a dry run on the server', () => {
  test.each([
    ['an unknown zone', 'unknown', inZone('nowhere')],
    ['an address outside of the zone', 'outside', inZone('calm', '10.80.0.1')],
    ['a word that is no address', 'nonsense', inZone('calm', 'nonsense')],
    ['a Secret that is not there', 'secretless', { annotations: { [IPAM.zone]: 'calm', [IPAM.secret]: 'missing' } }],
  ])('refuses %s in the words of the real call', async (_what, name, wanted) => {
    const file = fileOf(name, wanted);
    const dry = await refusal('apply', '--dry-run=server', '-f', file);
    expect(dry).toContain('denied the request');
    expect(dry).toBe(await refusal('apply', '-f', file));
  });

  test('shows no guess for a new Service and takes nothing', async () => {
    const file = fileOf('guess', inZone('calm'));
    const shown = annotationsOf(await plane().kubectl('apply', '--dry-run=server', '-o', 'json', '-f', file));
    expect(shown).toMatchObject({ [IPAM.zone]: 'calm', [METALLB.pool]: 'calm' });
    expect([shown[IPAM.addresses], shown[METALLB.addresses]]).toEqual([undefined, undefined]);
    expect(await scene.held('calm')).toBe(0);
  });

  test('shows a served Service as it is, and refuses its address to others, and the quota', async () => {
    const file = fileOf('served', inZone('calm'));
    await plane().kubectl('apply', '-f', file);
    const [address = ''] = (await scene.ready('served')).metadata.annotations?.[IPAM.addresses]?.split(',') ?? [];
    expect(await plane().kubectl('diff', '-f', file)).toBe('');
    const replaced = annotationsOf(await plane().kubectl('replace', '--dry-run=server', '-o', 'json', '-f', file));
    expect(replaced).toMatchObject({ [IPAM.addresses]: address, [METALLB.addresses]: address, [METALLB.pool]: 'calm' });

    await plane().client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'b' } }]);
    const thief = join(plane().folder, 'thief.json');
    const manifest = scene.manifest('thief', inZone('calm', address));
    writeFileSync(thief, JSON.stringify({ ...manifest, metadata: { ...manifest.metadata, namespace: 'b' } }));
    const held = await refusal('create', '--dry-run=server', '-f', thief);
    expect(held).toContain(address);
    expect(held).toBe(await refusal('create', '-f', thief));

    await scene.create('second', inZone('calm'));
    await scene.ready('second');
    const full = fileOf('third', inZone('calm'));
    const quota = await refusal('create', '--dry-run=server', '-f', full);
    expect(quota).toContain('quota');
    expect(quota).toBe(await refusal('create', '-f', full));
    expect(await operator().metrics()).toMatch(/verdict="dry-run-denied"/u);
  });
});
