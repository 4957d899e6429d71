import { firstFindings, type DoorFinding, type DoorFindings } from '../../../contract/ipam-api/door-pages';
import { metadataOf, textOf } from '../../../contract/loose-json';
import { GROUP_FINALIZER } from '../../../contract/paas';
import { otherFinalizers } from '../../../ledger/views/condition-sentences';
import type { AddressRecord } from '../../../ports/claims';
import { nameOf } from '../../../rules/vips/refusals';
import { isMissing } from '../controller/orphan';
import { nameOfHolder } from '../controller/record';
import { isOldFinalizer, readVipService, type VipService } from '../controller/vip-service';
import { recordsOf, treePage } from './tree-page';
import type { VipsPagesParts } from './vips-pages-parts';

/**
 * Looks at everything of the door that may need a person.
 *
 * @param parts - record, groups, Services
 * @returns the findings, the groups first
 */
export function findingsPage(parts: VipsPagesParts): DoorFindings {
  const { groups } = treePage(parts);
  const records = recordsOf(parts);
  const services = parts.services.list().flatMap((raw) => readVipService(raw) ?? []);
  return {
    check: 'IPGroups',
    well: `${String(groups.length)} IPGroups have free addresses, ${String(records.length)} addresses are on record, and no Service waits`,
    counted: 'ipam_vip_',
    findings: [
      ...firstFindings(groups.flatMap(groupFinding)),
      ...firstFindings(dyingGroups(parts)),
      ...firstFindings(services.flatMap(waitingFinding)),
      ...firstFindings(orphans(parts, records)),
      ...firstFindings(services.flatMap(oldFinalizers)),
      ...firstFindings(haltedFindings(parts)),
    ],
  };
}

function groupFinding({ group, problem, free, total, draining }: ReturnType<typeof treePage>['groups'][number]) {
  const check = `IPGroup ${group}`;
  const found: DoorFinding[] = [];
  if (problem !== undefined) found.push({ verdict: 'bad', check, finding: `is not ready: ${problem}` });
  if (draining) found.push({ verdict: 'watch', check, finding: 'is draining and gives nothing new' });
  else if (free === '0' && total !== '0')
    found.push({ verdict: 'bad', check, finding: `is full: none of ${total} addresses is free` });
  return found;
}

function dyingGroups({ groups }: VipsPagesParts): readonly DoorFinding[] {
  return groups.list().flatMap((group): readonly DoorFinding[] => {
    const { name, deletionTimestamp } = metadataOf(group);
    if (deletionTimestamp === undefined) return [];
    const others = otherFinalizers(group, GROUP_FINALIZER);
    const waits =
      others.length === 0 ? 'until its last address is given back' : `for the finalizers ${others.join(', ')} too`;
    return [{ verdict: 'watch', check: `IPGroup ${textOf(name)}`, finding: `is being deleted, and waits ${waits}` }];
  });
}

function waitingFinding({ view, condition }: VipService): readonly DoorFinding[] {
  if (condition === undefined || condition.status === 'True') return [];
  const finding = `waits since ${condition.lastTransitionTime} (${condition.reason}): ${condition.message}`;
  return [{ verdict: 'bad', check: `Service ${nameOf(view)}`, finding }];
}

function orphans(parts: VipsPagesParts, records: readonly AddressRecord[]): readonly DoorFinding[] {
  return records.flatMap(({ address, holders }) =>
    holders
      .filter((holder) => isMissing({ parts }, holder))
      .map((holder): DoorFinding => ({
        verdict: 'watch',
        check: `IP ${address.toString()}`,
        finding: `is on record for Service ${nameOf(nameOfHolder(holder))}, which is not stored`,
      })),
  );
}

// The one that leads takes them off; those that stay are of Services which it does not serve, or could not write.
function oldFinalizers({ view, finalizers }: VipService): readonly DoorFinding[] {
  const old = finalizers.filter(isOldFinalizer);
  const finding = `has the finalizer ${old.join(', ')} of the older operator`;
  return old.length === 0 ? [] : [{ verdict: 'watch', check: `Service ${nameOf(view)}`, finding }];
}

function haltedFindings({ halted }: VipsPagesParts): readonly DoorFinding[] {
  return (halted?.() ?? []).map(({ namespace, name, message }) => ({
    verdict: 'bad',
    check: `VirtualIP ${namespace}/${name}`,
    finding: `its migration has halted: ${message}`,
  }));
}
