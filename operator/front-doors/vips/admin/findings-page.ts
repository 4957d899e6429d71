import type { VipsFinding, VipsFindings } from '../../../contract/ipam-api/vips-pages';
import { listOf, metadataOf, textOf } from '../../../contract/loose-json';
import { GROUP_FINALIZER } from '../../../contract/paas';
import type { AddressRecord } from '../../../ports/claims';
import { nameOf } from '../../../rules/vips/refusals';
import { isMissing } from '../controller/orphan';
import { nameOfHolder } from '../controller/record';
import { isOldFinalizer, readVipService, type VipService } from '../controller/vip-service';
import { recordsOf, treePage } from './tree-page';
import type { VipsPagesParts } from './vips-pages-parts';

/** Most findings of one kind that are named; the last one counts the rest. */
const MOST_NAMED = 50;

/**
 * Looks at everything of the door that may need a person.
 *
 * @param parts - record, groups, Services
 * @returns the findings, the groups first
 */
export function findingsPage(parts: VipsPagesParts): VipsFindings {
  const { groups } = treePage(parts);
  const records = recordsOf(parts);
  const services = parts.services.list().flatMap((raw) => readVipService(raw) ?? []);
  return {
    groups: groups.length,
    addresses: records.length,
    findings: [
      ...named(groups.flatMap(groupFinding)),
      ...named(dyingGroups(parts)),
      ...named(services.flatMap(waitingFinding)),
      ...named(orphans(parts, records)),
      ...named(services.flatMap(oldFinalizers)),
      ...named(haltedFindings(parts)),
    ],
  };
}

function named(all: readonly VipsFinding[]): readonly VipsFinding[] {
  const [last] = all.slice(MOST_NAMED);
  if (last === undefined) return all;
  const finding = `and ${String(all.length - MOST_NAMED)} more`;
  return [...all.slice(0, MOST_NAMED), { ...last, finding }];
}

function groupFinding({ group, problem, free, total, draining }: ReturnType<typeof treePage>['groups'][number]) {
  const check = `IPGroup ${group}`;
  const found: VipsFinding[] = [];
  if (problem !== undefined) found.push({ verdict: 'bad', check, finding: `is not ready: ${problem}` });
  if (draining) found.push({ verdict: 'watch', check, finding: 'is draining and gives nothing new' });
  else if (free === '0' && total !== '0')
    found.push({ verdict: 'bad', check, finding: `is full: none of ${total} addresses is free` });
  return found;
}

function dyingGroups({ groups }: VipsPagesParts): readonly VipsFinding[] {
  return groups.list().flatMap((group): readonly VipsFinding[] => {
    const { name, deletionTimestamp, finalizers } = metadataOf(group);
    if (deletionTimestamp === undefined) return [];
    const others = listOf(finalizers)
      .map(textOf)
      .filter((each) => each !== GROUP_FINALIZER);
    const waits =
      others.length === 0 ? 'until its last address is given back' : `for the finalizers ${others.join(', ')} too`;
    return [{ verdict: 'watch', check: `IPGroup ${textOf(name)}`, finding: `is being deleted, and waits ${waits}` }];
  });
}

function waitingFinding({ view, condition }: VipService): readonly VipsFinding[] {
  if (condition === undefined || condition.status === 'True') return [];
  const finding = `waits since ${condition.lastTransitionTime} (${condition.reason}): ${condition.message}`;
  return [{ verdict: 'bad', check: `Service ${nameOf(view)}`, finding }];
}

function orphans(parts: VipsPagesParts, records: readonly AddressRecord[]): readonly VipsFinding[] {
  return records.flatMap(({ address, holders }) =>
    holders
      .filter((holder) => isMissing({ parts }, holder))
      .map((holder): VipsFinding => ({
        verdict: 'watch',
        check: `IP ${address.toString()}`,
        finding: `is on record for Service ${nameOf(nameOfHolder(holder))}, which is not stored`,
      })),
  );
}

// The one that leads takes them off; those that stay are of Services which it does not serve, or could not write.
function oldFinalizers({ view, finalizers }: VipService): readonly VipsFinding[] {
  const old = finalizers.filter(isOldFinalizer);
  const finding = `has the finalizer ${old.join(', ')} of the older operator`;
  return old.length === 0 ? [] : [{ verdict: 'watch', check: `Service ${nameOf(view)}`, finding }];
}

function haltedFindings({ halted }: VipsPagesParts): readonly VipsFinding[] {
  return (halted?.() ?? []).map(({ namespace, name, message }) => ({
    verdict: 'bad',
    check: `VirtualIP ${namespace}/${name}`,
    finding: `its migration has halted: ${message}`,
  }));
}
