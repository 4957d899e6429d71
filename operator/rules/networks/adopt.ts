import type { EntryDraft, EntryFacts, EntryOwner, NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable, TableVerdict } from '../../contract/networks/table';
import type { AdoptionStep } from './adoption-order';
import { redraft, isKnown } from './owners';
import { instanceOwner } from './read-object';
import { heldByOther, refusedBecause } from './refusals';
import { subnetLabels } from './subnet-labels';
import type { At } from './types';
import { subnetAround } from './users';

type Adopted = TableVerdict<'kept' | 'restored'>;

const KEPT: Adopted = { as: 'answer', value: 'kept' };

// An object that was restored has another UID than the claim knows; its name counts here.
const hasName = (a: EntryOwner | undefined, { kind, namespace, name }: EntryOwner): boolean =>
  a?.kind === kind && a.namespace === namespace && a.name === name;

function isOnRecord(table: NetworkTable, { owner, key }: AdoptionStep): boolean {
  if (key !== undefined && table.ofKey(key) !== undefined) return true;
  const { kind, namespace, name } = owner;
  const known = table.ofOwner({ kind, namespace, name });
  return known.some((entry) => hasName(entry.owner, owner) || hasName(entry.user, owner));
}

function draftOf(step: AdoptionStep, parent: NetworkEntry | undefined): EntryDraft {
  const { role, kind, block, owner, door, key, labels, isGateway, isStatic, request } = step;
  const networkName = step.networkName ?? (kind === 'network' ? parent?.facts?.networkName : undefined);
  const around = (step.subnet ?? parent?.block)?.toString();
  const facts: EntryFacts = {
    role,
    kind,
    ...present({ networkName, parent: around, request }),
    ...(isGateway === true ? { isGateway } : {}),
    ...(isStatic === true ? { isStatic } : {}),
  };
  return { block, owner, door, labels, facts, ...present({ key }) };
}

// Leaves out what is not there.
function present(texts: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).flatMap(([key, text]) => (text === undefined ? [] : [[key, text]])));
}

function restored(put: readonly EntryDraft[]): Adopted {
  return { as: 'change', put, remove: [], answer: 'restored' };
}

function adoptHost(table: NetworkTable, { instance }: At, step: AdoptionStep): Adopted {
  const { subnet = step.block, networkName = '' } = step;
  const draft = draftOf(step, undefined);
  const stored = table.at(subnet);
  if (stored !== undefined && stored.facts?.networkName !== networkName) {
    return heldByOther(stored, subnet, 'prefix/other-network');
  }
  const around = table.around(subnet).at(-1)?.block.toString();
  const facts: EntryFacts = { role: 'subnet', kind: 'network', networkName, ...present({ parent: around }) };
  const labels = subnetLabels(subnet, [...table.hosts(subnet), draft]) ?? {};
  const owner = instanceOwner(instance, step.owner);
  return restored([{ block: subnet, owner, door: 'networks', labels, facts: stored?.facts ?? facts }, draft]);
}

function bindHost(entry: NetworkEntry, step: AdoptionStep): Adopted {
  if (!isKnown(entry) || entry.user !== undefined) return heldByOther(entry, step.block);
  const { request } = step;
  const facts = { ...entry.facts, ...(request === undefined ? {} : { request }) };
  return restored([redraft(entry, { user: step.owner, facts })]);
}

/**
 * Gives a place back to the object that shows it as its own. What is on record counts; of two that show one place the first one has it.
 *
 * @param table - of the network
 * @param at - the instance and what is known beside the table
 * @param step - object and place
 * @returns whether it was restored, or kept as it is on record; or the refusal that names the holder
 */
export function decideAdoption(table: NetworkTable, at: At, step: AdoptionStep): Adopted {
  if (isOnRecord(table, step)) return KEPT;
  const stored = table.at(step.block);
  if (stored !== undefined) return isBinding(stored, step) ? bindHost(stored, step) : heldByOther(stored, step.block);
  return step.role === 'host' ? adoptHost(table, at, step) : adoptBlock(table, step);
}

const isBinding = ({ facts }: NetworkEntry, { role, kind }: AdoptionStep): boolean =>
  role === 'allocation' && kind === 'network' && facts?.role === 'host';

function adoptBlock(table: NetworkTable, step: AdoptionStep): Adopted {
  const isAddress = step.kind === 'network';
  const parent = isAddress ? subnetAround(table, step.block) : table.around(step.block).at(-1);
  if (!isAddress || parent !== undefined) return restored([draftOf(step, parent)]);
  const value = step.block.toString();
  const message = `status.prefix: "${value}" lies in no subnet; it is decided anew once one is declared`;
  return refusedBecause({ code: 'prefix/no-network', message, value }, { places: [step.block], isByLabels: true });
}
