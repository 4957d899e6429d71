import {
  CONFIG_MAP,
  crdName,
  DATAPLANE_CONFIGS,
  DATAPLANE_KINDS,
  OPENSHIFT,
  type DataplaneKind,
  type EgressDataplaneName,
} from '../../contract/egress-dataplanes';
import { mapOf, textOf, type JsonMap } from '../../contract/loose-json';
import { optionalField } from '../../contract/optional-field';
import { faultFields } from '../../errors/trace';
import type { DataplaneChoice, EgressDataplane, EgressDataplanes } from '../../ports/egress-dataplane';
import { ListenerSet } from '../../runtime/listener-set';
import { chooseDriver } from './choose-driver';
import { isServed, type ClusterFacts } from './shared/cluster-facts';
import type { DataplaneCluster, OwnedFeed } from './shared/dataplane-cluster';
import type { DataplaneDriver } from './shared/driver';
import type { OpenedDataplane } from './shared/opened-dataplane';

/** Pause between two looks at what OpenShift and the ConfigMaps of dataplanes say about the cluster. */
const LOOK_MS = 600_000;
/** The same after one that failed. */
const RETRY_MS = 30_000;

const NOT_KNOWN: DataplaneChoice = {
  kind: 'missing',
  reason: 'NoDriver',
  message: 'the cluster has not been looked at yet',
};

/** Parts of {@link DetectedDataplanes}. */
export interface DetectionParts {
  readonly cluster: DataplaneCluster;
  /** Those that the settings switch on. */
  readonly drivers: readonly DataplaneDriver[];
  /** Opens the watch of one CRD, by its name. */
  readonly watchCrd: (name: string) => OwnedFeed;
}

/** A driver that is open, and what it was opened with. */
interface Opened {
  readonly dataplane: OpenedDataplane;
  readonly options: string;
}

/**
 * Dataplanes by what the cluster serves: each CRD is watched by its name, and what OpenShift and the ConfigMaps of dataplanes say is read with each of their changes and every ten
 * minutes. A driver is opened with the first choice of it, and closed when its kinds go. `close` is final.
 */
export class DetectedDataplanes implements EgressDataplanes {
  readonly #parts: DetectionParts;
  readonly #crds: ReadonlyMap<string, OwnedFeed>;
  readonly #opened = new Map<string, Opened>();
  readonly #listeners = new ListenerSet<void>();
  readonly #stops: (() => void)[];
  readonly #closing = new Set<Promise<void>>();
  #said: Pick<ClusterFacts, 'networkType' | 'platform' | 'configs'> = { configs: new Map() };
  #told = '';
  #cancel: () => void = () => undefined;
  #looking: Promise<void> | undefined;
  #isDue = false;
  #isKnown = false;
  #isClosed = false;
  #known: () => void = () => undefined;
  readonly #whenKnown = new Promise<void>((resolve) => {
    this.#known = resolve;
  });

  /**
   * Begins to look.
   *
   * @param parts - cluster and drivers
   */
  constructor(parts: DetectionParts) {
    this.#parts = parts;
    const kinds = parts.drivers.flatMap(({ name }) => Object.values(DATAPLANE_KINDS[name]).flat());
    this.#crds = new Map([...new Set(kinds.map(crdName))].map((name) => [name, parts.watchCrd(name)]));
    this.#stops = [
      ...[...this.#crds.values()].map((feed) =>
        feed.onChange(() => {
          this.#settle();
          this.#look();
        }),
      ),
      parts.cluster.nodes.onChange(() => {
        this.#settle();
      }),
    ];
    this.#look();
  }

  /** @inheritdoc */
  choose(asked: string): DataplaneChoice {
    if (!this.#isKnown && asked !== 'none') return NOT_KNOWN;
    const facts = this.#facts();
    const choice = chooseDriver(asked, this.#parts.drivers, facts);
    return choice.kind === 'driver' ? { kind: 'driver', dataplane: this.#openedOf(choice.driver, facts) } : choice;
  }

  /** @inheritdoc */
  open(): readonly EgressDataplane[] {
    return [...this.#opened.values()].map(({ dataplane }) => dataplane);
  }

  /** @inheritdoc */
  find(name: string): EgressDataplane | 'absent' | 'unseen' {
    const driver = this.#parts.drivers.find((each) => each.name === name);
    if (driver === undefined || !this.#isKnown) return 'unseen';
    const facts = this.#facts();
    const choice = chooseDriver(name, this.#parts.drivers, facts);
    if (choice.kind === 'driver') return this.#openedOf(choice.driver, facts);
    const kinds = DATAPLANE_KINDS[driver.name].needed.map(crdName);
    // a CRD that is there and not served, or being deleted, may still have objects
    const isAbsent = kinds.every((kind) => this.#crds.get(kind)?.synced() === true && !facts.crds.has(kind));
    return isAbsent ? 'absent' : 'unseen';
  }

  /** @inheritdoc */
  async whenKnown(): Promise<void> {
    const feeds = [this.#parts.cluster.nodes, ...this.#crds.values()];
    await Promise.all([this.#whenKnown, ...feeds.map((feed) => feed.whenSynced())]);
  }

  /** @inheritdoc */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Tells whether the cluster serves a kind of the dataplanes that the settings switch on.
   *
   * @param kind - one of them
   * @returns false also while it is not known yet
   */
  isInstalled(kind: DataplaneKind): boolean {
    return isServed(kind, this.#facts());
  }

  /**
   * Ends every driver and watch.
   *
   * @returns when nothing is under way
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    for (const stop of this.#stops) stop();
    for (const name of [...this.#opened.keys()]) this.#end(name);
    await Promise.all([...this.#closing, this.#looking, ...[...this.#crds.values()].map((feed) => feed.close())]);
  }

  #facts(): ClusterFacts {
    const crds = [...this.#crds].flatMap(([name, feed]): [string, JsonMap][] => {
      const crd = feed.get('', name);
      return crd === undefined ? [] : [[name, crd]];
    });
    return { ...this.#said, crds: new Map(crds), nodes: this.#parts.cluster.nodes.list() };
  }

  #openedOf(driver: DataplaneDriver, facts: ClusterFacts): OpenedDataplane {
    const options = JSON.stringify(driver.optionsOf(facts));
    const before = this.#opened.get(driver.name);
    if (before?.options === options) return before.dataplane;
    this.#end(driver.name);
    const dataplane = driver.open(this.#parts.cluster, facts);
    this.#parts.cluster.logger.info('egress dataplane opened', { dataplane: driver.name });
    this.#opened.set(driver.name, { dataplane, options });
    return dataplane;
  }

  #end(name: string): void {
    const opened = this.#opened.get(name);
    if (opened === undefined) return;
    this.#opened.delete(name);
    const closing = opened.dataplane.close().finally(() => {
      this.#closing.delete(closing);
    });
    this.#closing.add(closing);
  }

  // Closes what is no longer as it was opened, and tells where another choice may follow.
  #settle(): void {
    if (this.#isClosed) return;
    const facts = this.#facts();
    const { drivers } = this.#parts;
    const now = drivers.map((driver) => ({
      driver,
      choice: chooseDriver(driver.name, drivers, facts).kind,
      options: JSON.stringify(driver.optionsOf(facts)),
      isRunning: driver.isRunning(facts),
    }));
    for (const { driver, choice, options } of now) {
      const opened = this.#opened.get(driver.name);
      if (opened !== undefined && (choice !== 'driver' || opened.options !== options)) this.#end(driver.name);
    }
    const told = JSON.stringify([
      [this.#said.networkType, this.#said.platform],
      now.map(({ choice, options, isRunning }) => [choice, options, isRunning]),
    ]);
    if (told === this.#told) return;
    this.#told = told;
    this.#listeners.tell();
  }

  #look(): void {
    if (this.#isClosed) return;
    this.#isDue = true;
    this.#looking ??= this.#lookWhileDue().finally(() => {
      this.#looking = undefined;
    });
  }

  async #lookWhileDue(): Promise<void> {
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      this.#cancel();
      const ms = await this.#lookOnce();
      this.#cancel = this.#parts.cluster.clock.after(ms, () => {
        this.#look();
      });
    }
    if (this.#isClosed) this.#cancel();
  }

  async #lookOnce(): Promise<number> {
    try {
      const [network, infrastructure, configs] = await Promise.all([
        this.#statusOf(OPENSHIFT.network),
        this.#statusOf(OPENSHIFT.infrastructure),
        Promise.all(this.#parts.drivers.map(({ name }) => this.#configOf(name))),
      ]);
      this.#said = {
        // a cluster of OpenShift stays one, also while its API server does not serve these kinds for a moment
        ...optionalField('networkType', wordIn(network['networkType']) ?? this.#said.networkType),
        ...optionalField('platform', wordIn(mapOf(infrastructure['platformStatus'])['type']) ?? this.#said.platform),
        configs: new Map(configs.flat()),
      };
      this.#isKnown = true;
      this.#known();
      this.#settle();
      return LOOK_MS;
    } catch (thrown) {
      this.#parts.cluster.logger.warn(
        'cannot read what OpenShift says about the cluster, or the configuration of a dataplane',
        faultFields(thrown),
      );
      return RETRY_MS;
    }
  }

  // Of a cluster that is none of OpenShift the kinds are not served, so there is no object.
  async #statusOf(kind: (typeof OPENSHIFT)['network' | 'infrastructure']): Promise<JsonMap> {
    const { object } = await this.#parts.cluster.writer(kind).read({ namespace: '', name: OPENSHIFT.object });
    return mapOf(object?.['status']);
  }

  async #configOf(name: EgressDataplaneName): Promise<readonly (readonly [EgressDataplaneName, JsonMap])[]> {
    const at = DATAPLANE_CONFIGS[name];
    if (at === undefined) return [];
    const { object } = await this.#parts.cluster.writer(CONFIG_MAP).read(at);
    return [[name, mapOf(object?.['data'])]];
  }
}

const wordIn = (value: unknown): string | undefined => (textOf(value) === '' ? undefined : textOf(value));
