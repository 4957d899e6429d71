import { VIRTUAL_IP_STATES as STATES } from '../../../operator/contract/kinds/virtual-ip';
import type { ControlPlane } from './control-plane';
import { CutScene } from './cut-scene';
import { applyInstallation } from './installation';
import { useControlPlane } from './use-control-plane';
import { clearVips, VipScene } from './vip-scene';
import { reasonOf, VirtualIpScene } from './virtual-ip-scene';

/** Address of the VirtualIP of most tests, in the group of {@link useMigration}. */
export const ADDRESS = '1.1.1.3';
/** Name of the copy that VirtualIP `v` has made of its Service. */
export const CLONE = 'v-keepalived-clone';

const P1 = { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.0', '1.1.1.2', '1.1.1.7'] };

/** A cluster with the migration switched on, an operator that can be killed, and IPGroup `ipgroup-1` for each test. */
export class MigrationScene {
  readonly plane: () => ControlPlane;
  readonly vips: VipScene;
  readonly old: VirtualIpScene;
  #cuts: CutScene | undefined;

  constructor(plane: () => ControlPlane) {
    this.plane = plane;
    this.vips = new VipScene(plane, 'test');
    this.old = new VirtualIpScene(plane, 'test', this.vips);
  }

  get cuts(): CutScene {
    if (this.#cuts === undefined) throw new RangeError('the operator is not started');
    return this.#cuts;
  }

  async start(control: ControlPlane): Promise<void> {
    await applyInstallation(control, {
      services: { enabled: false },
      vips: { enabled: true, classless: true, orphanGraceSeconds: 1, migration: true },
    });
    this.#cuts = await CutScene.start(control, { awaitWebhooks: false, args: { resync: '10' } });
    await this.vips.open(control);
  }

  async begin(): Promise<void> {
    await this.vips.group('ipgroup-1', P1);
    await this.vips.groupReady('ipgroup-1');
  }

  async clear(): Promise<void> {
    await this.old.clear();
    for (const { metadata } of await this.vips.ips())
      if (!(await this.vips.holders()).some((each) => each.endsWith('test/s')))
        await this.vips.breakGlass('delete', 'ips.paas.org', metadata.name);
    await clearVips(this.plane(), this.vips);
  }

  async specOf(name: string): Promise<Record<string, unknown>> {
    return (await this.vips.get(name)).spec as Record<string, unknown>;
  }

  async labelsOf(address: string): Promise<Readonly<Record<string, string>> | undefined> {
    return (await this.vips.ipWhen(address, () => true)).metadata.labels;
  }

  async isStored(path: string): Promise<boolean> {
    return (await this.plane().client.attempt('GET', path)).status === 200;
  }

  /** Does something once the first write of the record, after two states and a dry run, has given it to the Service. */
  afterHandOver(act: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.cuts.proxy.cutAtFirst(`/ips/${ADDRESS}`, () => act().then(resolve, reject));
    });
  }

  /** Checks everything that is so after the migration of `v`. */
  async expectMigrated(wished?: string): Promise<void> {
    const after = await this.old.when(
      'v',
      ({ metadata, status }) => status?.['state'] === STATES.migrated && (metadata.finalizers ?? []).length === 0,
    );
    const service = await this.vips.shows('s', ADDRESS);
    expect(service.spec?.['type']).toBe('LoadBalancer');
    expect(service.spec?.['loadBalancerIP']).toBe(wished);
    expect(service.metadata.finalizers ?? []).toEqual([]);
    const { gsm, keepalivedGroup, clonedService, ip, service: name } = after.status as Record<string, unknown>;
    expect([gsm, keepalivedGroup, clonedService, ip, name]).toEqual([undefined, undefined, undefined, ADDRESS, 's']);
    expect(after.metadata.finalizers ?? []).toEqual([]);
    expect(reasonOf(after)).toBe('Migrated');
    expect(await this.vips.holders()).toEqual([`${ADDRESS}=test/s`]);
    expect(await this.labelsOf(ADDRESS)).toEqual({ ipgroup: 'ipgroup-1' });
    expect(await this.isStored(this.vips.path(CLONE))).toBe(false);
  }
}

/** Starts the cluster for the tests of a file, with an empty record for each. */
export function useMigration(): MigrationScene {
  const plane = useControlPlane({ prepare: (control) => scene.start(control) });
  const scene = new MigrationScene(plane);
  beforeEach(() => scene.begin());
  afterEach(() => scene.clear());
  return scene;
}
