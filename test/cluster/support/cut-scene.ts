import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAddress } from '../../../operator/addressing/address';
import { PrefixSetBuilder } from '../../../operator/addressing/prefix-set';
import { parsePrefix } from '../../../operator/addressing/prefix';
import { ApiProxy, type Side } from './api-proxy';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';
import { tokenFor } from './installation';
import { startOperator, type OperatorStart, type RunningOperator } from './operator-process';
import { conditionOf, ingressOf, isReady } from './services';

/** Places of writes: objects in the API server, claims in the store. */
export type Place = 'api' | 'store';

/** One change that a user makes, and how it looks when all of it is done. */
export interface Change {
  /** Sends the request of the user; resolves false when it was refused or broken off. */
  send(): Promise<boolean>;
  /** True when nothing is left to write. */
  isDone(): Promise<boolean>;
}

const POOLS = '/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools';
/** More than any change writes. */
const MOST_WRITES = 30;
const SHOWN_LOG = 2_000;

/** An operator that can be killed at any write, in the API server and in its store. */
export class CutScene {
  readonly operator: RunningOperator;
  readonly proxy: ApiProxy;
  readonly #plane: ControlPlane;
  readonly #cutFile: string;

  private constructor(
    plane: ControlPlane,
    parts: { readonly operator: RunningOperator; readonly proxy: ApiProxy; readonly cutFile: string },
  ) {
    this.#plane = plane;
    this.operator = parts.operator;
    this.proxy = parts.proxy;
    this.#cutFile = parts.cutFile;
  }

  /** Starts the operator of an installation behind a proxy. */
  static async start(plane: ControlPlane, more: OperatorStart = {}): Promise<CutScene> {
    const proxy = await ApiProxy.start(plane);
    const cutFile = join(plane.folder, 'cut-at-commit');
    const token = await tokenFor(plane, 'ipam-system', 'ipam-controller-manager');
    const operator = await startOperator(plane, {
      ...more,
      args: {
        kubeconfig: proxy.kubeconfigOf('behind-proxy', token),
        'reservation-lease': '30',
        'shutdown-delay': '0',
        ...more.args,
      },
      env: { NODE_OPTIONS: `--require=${join(__dirname, 'kill-at-commit.cjs')}`, CUT_AT_COMMIT: cutFile },
    });
    return new CutScene(plane, { operator, proxy, cutFile });
  }

  /** Kills the operator at a write from now on. */
  cutAt(place: Place, write: number, side: Side): void {
    if (place === 'store') writeFileSync(this.#cutFile, `${write} ${side}`);
    else this.proxy.cutAt(write, side, () => this.operator.kill('SIGKILL'));
  }

  /** Takes back what was to come. */
  uncut(): void {
    this.proxy.uncut();
    rmSync(this.#cutFile, { force: true });
  }

  /** Resolves when the operator was killed. */
  async killed(): Promise<void> {
    await eventually(() => !this.operator.running());
  }

  /**
   * Makes one change again and again, with the operator killed at its first write, its second, and so on until a change is
   * done before so many; after each kill the operator is started again, and the user repeats what was refused.
   *
   * @param begin - prepares the change of one round
   * @returns how many writes were cut
   */
  async walk(place: Place, side: Side, begin: (write: number) => Promise<Change>): Promise<number> {
    for (let write = 1; write <= MOST_WRITES; write += 1) {
      const change = await begin(write);
      this.cutAt(place, write, side);
      if (!(await this.#isCut(change).catch(this.#explain(write)))) return write - 1;
    }
    throw new RangeError(`a change that writes more than ${MOST_WRITES} times`);
  }

  // False where the change was done before it came to the cut.
  async #isCut(change: Change): Promise<boolean> {
    const sent = await change.send();
    await eventually(async () => !this.operator.running() || (sent && (await change.isDone()) && !this.#isStruck()));
    this.uncut();
    if (this.operator.running()) return false;
    await this.operator.restart();
    if (!sent && !(await change.send())) throw new RangeError('refused after the restart as well');
    await eventually(() => change.isDone());
    return true;
  }

  // What was cut may look done before the kill has its effect.
  #isStruck(): boolean {
    return this.proxy.isUncut && !existsSync(this.#cutFile);
  }

  #explain(write: number): (thrown: unknown) => never {
    return (thrown) => {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      const log = this.operator.log().slice(-SHOWN_LOG);
      throw new RangeError(`cut at write ${write}: ${why}\n${this.proxy.writes.slice(-10).join('\n')}\n${log}`);
    };
  }

  /** True when a Service has exactly this address, by our word and by MetalLB's. */
  async has(path: string, address: string | undefined): Promise<boolean> {
    const service = await this.#plane.client.request('GET', path);
    const shown = ingressOf(service);
    if (!isReady(service) || shown.length !== 1 || (address !== undefined && shown[0] !== address)) return false;
    return conditionOf(service)?.message.includes(`"${String(shown[0])}"`) ?? false;
  }

  /** True when the pool of a zone holds these addresses and no others. */
  publishes(zone: string, addresses: readonly string[]): Promise<boolean> {
    return CutScene.publishes(this.#plane, zone, addresses);
  }

  /** As the method, for any control plane. */
  static async publishes(plane: ControlPlane, zone: string, addresses: readonly string[]): Promise<boolean> {
    const { status, body } = await plane.client.attempt('GET', `${POOLS}/${zone}`);
    if (status === 404) return addresses.length === 0;
    const entries = (body.spec?.['addresses'] ?? []) as readonly string[];
    const published = entries.reduce((all, each) => add(all, parsePrefix(each)), new PrefixSetBuilder()).build();
    const wanted = addresses.reduce((all, each) => add(all, parseAddress(each)), new PrefixSetBuilder()).build();
    return published.equals(wanted);
  }
}

type Addable = Parameters<PrefixSetBuilder['add']>[0];

function add(all: PrefixSetBuilder, parsed: { readonly ok: boolean; readonly value?: Addable }): PrefixSetBuilder {
  if (parsed.value === undefined) throw new RangeError('a pool holds something that is no address');
  return all.add(parsed.value);
}
