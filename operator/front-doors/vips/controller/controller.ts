import { IP_NETWORK } from '../../../contract/paas';
import { familyBits, type Address } from '../../../addressing/address';
import type { Prefix } from '../../../addressing/prefix';
import { isPausedByKey } from '../../../contract/cluster-api';
import { mapOf, metadataOf, type JsonMap } from '../../../contract/loose-json';
import type { ClaimChange } from '../../../ports/claims';
import type { ObjectKey } from '../../../ports/object-feed';
import { decideService } from '../../../rules/vips';
import { COUNTERS_MS, DueKeys } from '../../../runtime/due-keys';
import type { VipGroup } from '../../../rules/vips/types';
import type { VipKey, VipsController, VipsDoorParts } from './door-parts';
import { compareAll } from './compare';
import type { Decided, Ended, Leave, Serve, VipsContext } from './context';
import { GroupGauges } from './group-gauges';
import { GroupFinalizers } from './group-finalizers';
import { GroupTallies } from './group-tallies';
import { reconcileGroup } from './groups';
import { GroupSpaces } from './group-spaces';
import { IpGroupProvider } from './ip-group-provider';
import { GroupsView } from './groups-view';
import { InUse } from './in-use';
import { leave } from './leave';
import { Orphans, releaseDeleted } from './orphan';
import { holderOf, nameOfHolder, placeOf } from './record';
import { serve } from './serve';
import { SharedKeys } from './shared-keys';
import { readVipService, type VipService } from './vip-service';
import { factsOf, viewFor } from './vips-view';
import { Waiting } from './waiting';
import { DECIDE_AGAIN_MS, DECISION_ROUNDS } from '../../../runtime/decision-rounds';

/** A Service as it was when it was looked at. */
type Seen = Omit<Decided<Serve>, 'view' | 'decision'>;

/**
 * Makes the controller of the VIPs door. Nothing is given before the first comparison.
 *
 * @param parts - record, feeds, writers
 * @returns what the work of the leader calls
 */
export function createVipsController(parts: VipsDoorParts): VipsController {
  return new Controller(parts);
}

class Controller implements VipsController {
  readonly pools: IpGroupProvider;
  readonly spaces: GroupSpaces;
  readonly #context: VipsContext;
  readonly #orphans = new Orphans();
  readonly #stops: (() => void)[];
  /** Groups whose counters are about to be written. */
  readonly #dueCounts: DueKeys<VipKey>;

  constructor(parts: VipsDoorParts) {
    const { claims, known, groups, namespaces } = parts;
    const inUse = new InUse(parts);
    this.#context = {
      parts,
      groups: new GroupsView(parts),
      finalizers: new GroupFinalizers(parts),
      gauges: new GroupGauges(parts.meter),
      shared: new SharedKeys(known),
      inUse,
      tallies: new GroupTallies(known, inUse),
      waiting: new Waiting(parts.meter),
      warned: new Map(),
      restorers: [],
      isGiving: false,
      families: [],
    };
    this.#dueCounts = new DueKeys(parts.clock, COUNTERS_MS, (key) => {
      this.#context.waiting.wake(key);
    });
    this.pools = new IpGroupProvider(this.#context);
    this.spaces = new GroupSpaces(this.#context);
    this.#stops = [
      claims.watch((change) => {
        this.#recordChanged(change);
      }),
      groups.onChange(({ key, before, after }) => {
        if (gistOf(before) !== gistOf(after)) this.#everyPlanChanged();
        else if (isPaused(before) !== isPaused(after)) this.pools.changed(key.name);
      }),
      ...parts.strongerPools.map((provider) =>
        provider.onChange(() => {
          this.#everyPlanChanged();
        }),
      ),
      namespaces.onChange(({ key, after }) => {
        if (after === undefined) return;
        this.#context.waiting.wakeAll(key.name);
        this.pools.allChanged();
      }),
    ];
  }

  async reconcile(key: VipKey): Promise<{ readonly requeueAfterMs?: number }> {
    switch (key.of) {
      case 'service':
        return this.#reconcileService(key);
      case 'group':
        return (await reconcileGroup(this.#context, key.name)) === 'overtaken' ? { requeueAfterMs: COUNTERS_MS } : {};
      case 'orphan': {
        const again = await this.#orphans.look(this.#context, key.address);
        return again === undefined ? {} : { requeueAfterMs: again };
      }
    }
  }

  compare(): Promise<readonly VipKey[]> {
    return compareAll(this.#context);
  }

  groupAt(address: Address): string | undefined {
    const plans = this.#context.groups.plans().map(({ group }) => group);
    return plans.find(
      ({ segments, usable, excluded }) =>
        segments.contains(address) && (usable.contains(address) || excluded.contains(address)),
    )?.name;
  }

  onWake(listener: (key: VipKey) => void): () => void {
    return this.#context.waiting.onWake(listener);
  }

  shownChanged(block: Prefix): void {
    const { inUse, groups, tallies, waiting } = this.#context;
    const at = groups.at(block);
    for (const { name } of at) this.#count(name);
    if (block.length === familyBits(block.family)) {
      const address = block.first;
      inUse.look(address);
      tallies.look(address);
      this.#freedIn(address, at);
      return;
    }
    inUse.blocksChanged();
    if (at.length > 0) waiting.wakeAll();
    for (const { name } of at) this.pools.changed(name);
  }

  #everyPlanChanged(): void {
    const { groups, waiting, warned } = this.#context;
    groups.changed();
    this.spaces.changed();
    waiting.wakeAll();
    this.pools.allChanged();
    // what a Service shows may lie in a group now
    for (const { key } of warned.values()) waiting.wake({ of: 'service', ...key });
    for (const { group } of groups.plans()) waiting.wake({ of: 'group', name: group.name });
  }

  rest(): void {
    this.#context.isGiving = false;
    this.#context.waiting.clear();
    this.#context.gauges.clear();
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#dueCounts.close();
  }

  async #reconcileService(key: ObjectKey): Promise<{ readonly requeueAfterMs?: number }> {
    const { parts, waiting } = this.#context;
    const { namespace, name, uid } = key;
    let raw = parts.services.get(namespace, name);
    let isFresh = false;
    for (let round = 0; round < DECISION_ROUNDS; round++) {
      const stored = ofUid(raw, uid);
      if (stored === undefined && !isFresh) {
        waiting.leave(uid, false);
        this.#context.warned.delete(uid);
        await releaseDeleted(this.#context, key);
        return {};
      }
      if (stored === undefined) return {};
      const ended = await this.#decide(stored, isFresh);
      if (ended === 'done') return {};
      raw = await parts.cluster.service(namespace, name);
      isFresh = true;
    }
    return { requeueAfterMs: DECIDE_AGAIN_MS };
  }

  #decide(stored: VipService, isFresh: boolean): Ended | Promise<Ended> {
    const { parts, shared } = this.#context;
    const since = this.#context.waiting.mark();
    const facts = factsOf(parts, stored);
    const { sharing } = holderOf(facts);
    const decide = (): Ended | Promise<Ended> => this.#carryOut({ stored, facts, since }, isFresh);
    return sharing === undefined ? decide() : shared.inTurn(sharing.key, decide);
  }

  // What ends or takes over something is decided on the object that the API server has now: the watch may be behind.
  #carryOut(seen: Seen, isFresh: boolean): Ended | Promise<Ended> {
    const view = viewFor(this.#context, seen.facts.service);
    const decision = decideService(seen.facts, view);
    if (decision.act === 'serve') {
      const needsFresh = decision.restore.length > 0 || decision.rebind.some((each) => !each.isBoundToUid);
      const decided: Decided<Serve> = { ...seen, view, decision };
      return needsFresh && !isFresh ? 'again' : serve(this.#context, decided);
    }
    const needsFresh = decision.release.length > 0 || decision.isIngressCleared || decision.warning !== undefined;
    const decided: Decided<Leave> = { ...seen, view, decision };
    return needsFresh && !isFresh ? 'again' : leave(this.#context, decided);
  }

  #recordChanged(change: ClaimChange): void {
    if (change.network !== IP_NETWORK) return;
    const { shared, inUse, groups, parts, tallies } = this.#context;
    const { address, kind, pool } = change;
    shared.follow(change);
    groups.recordChanged();
    this.spaces.recordChanged(address, pool);
    inUse.look(address);
    tallies.look(address);
    this.#count(pool);
    if (kind === 'freed') this.pools.freed(address);
    if (kind !== 'freed') this.#wakeSharers(address);
    if (kind === 'changed' || kind === 'freed') {
      this.#freedIn(address, groups.at(address), kind);
      // an entry that went although a Service shows its address is put back
      for (const { uid, source } of kind === 'freed' ? parts.shown.at(address) : []) this.#wakeShowing(uid, source);
    }
  }

  // A change of what holds an address helps those that wish for it; those that take any are helped by its end.
  #freedIn(address: Address, groups: readonly VipGroup[], kind: 'changed' | 'freed' = 'freed'): void {
    const { inUse, waiting } = this.#context;
    const free = groups
      .filter(({ network }) => !inUse.isOccupied(address, network) && !inUse.blocksOf(network).contains(address))
      .map(({ name }) => name);
    if (free.length === 0 && groups.length > 0) return;
    const names = kind === 'freed' ? free : [];
    waiting.freed(address, names);
    for (const name of names) this.pools.changed(name);
  }

  // Terms of one that shares an address are told to the others, which may not share with it any more, or may now.
  #wakeSharers(address: Address): void {
    const { parts, waiting } = this.#context;
    const holders = parts.known.at(placeOf(address))?.holders ?? [];
    waiting.shared(holders.flatMap(({ sharing }) => sharing?.key ?? []));
    if (holders.length < 2) return;
    for (const { namespace, name, uid } of holders.map(nameOfHolder))
      waiting.wake({ of: 'service', namespace, name, uid });
  }

  #wakeShowing(uid: string, source: string): void {
    const [kind, namespace = '', name = ''] = source.split('/');
    if (kind === 'Service') this.#context.waiting.wake({ of: 'service', namespace, name, uid });
  }

  #count(name: string): void {
    if (name !== '') this.#dueCounts.add(name, { of: 'group', name });
  }
}

// Counters change all the time, and no Service is helped by that.
function gistOf(group: JsonMap | undefined): string {
  const { uid, generation, deletionTimestamp } = metadataOf(group);
  return JSON.stringify([uid, generation, deletionTimestamp, mapOf(group?.['status'])['applied']]);
}

// For Services a group is never paused; objects of other doors that refer to it wait for the end of that.
const isPaused = (group: JsonMap | undefined): boolean => isPausedByKey(mapOf(metadataOf(group)['annotations']));

function ofUid(raw: JsonMap | undefined, uid: string): VipService | undefined {
  const stored = readVipService(raw);
  return stored?.key.uid === uid ? stored : undefined;
}
