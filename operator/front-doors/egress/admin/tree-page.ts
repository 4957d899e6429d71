import { PrefixSet } from '../../../addressing/prefix-set';
import type { EgressAddress, EgressIpamTree, EgressTree } from '../../../contract/ipam-api/egress-pages';
import { listAt } from '../../../contract/list-at';
import { textOf } from '../../../contract/loose-json';
import { optionalField } from '../../../contract/optional-field';
import { statusIn } from '../../../contract/stored-status';
import { poolAt } from '../../../rules/egress/judge-list';
import type { EgressPlan, EgressPool } from '../../../rules/egress/types';
import type { EgressPagesParts } from './egress-pages-parts';
import { addressAnswer, freeIn, factsOf, type PageFacts } from './page-facts';

/**
 * Shows every EgressIPAM with its CIDRs, and what is on record in them.
 *
 * @param parts - record, objects, what the cluster shows
 * @returns the oldest first
 */
export function treePage(parts: EgressPagesParts): EgressTree {
  const facts = factsOf(parts);
  const plans = facts.plans.all();
  const names = new Set(plans.map(({ name }) => name));
  const lost = facts.records.filter(({ pool }) => !names.has(pool));
  return {
    egressIpams: plans.map((plan) => planTree(facts, plan)),
    withoutIpam: lost.map((record) => addressAnswer(facts, record)),
  };
}

function planTree(facts: PageFacts, plan: EgressPlan): EgressIpamTree {
  const { name, network, pools, readiness } = plan;
  const byPool = new Map<EgressPool | undefined, EgressAddress[]>();
  for (const record of facts.records.filter(({ pool }) => pool === name)) {
    const pool = record.network === network ? poolAt(plan, record.address) : undefined;
    listAt(byPool, pool).push(addressAnswer(facts, record));
  }
  const status = statusIn(facts.parts.egressIpams.get('', name) ?? {});
  return {
    egressIpam: name,
    network,
    dataplane: textOf(status['dataplane']),
    ...optionalField('problem', readiness.ok ? undefined : `${readiness.reason}: ${readiness.message}`),
    cidrs: pools.map((pool) => ({
      cidr: pool.cidr,
      labelValue: pool.labelValue,
      total: String(PrefixSet.of(pool.prefix).count()),
      free: String(freeIn(facts, network, pool)),
      addresses: byPool.get(pool) ?? [],
    })),
    outside: byPool.get(undefined) ?? [],
  };
}
