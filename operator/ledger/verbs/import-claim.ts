import type { Address } from '../../addressing/address';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { Zone } from '../../contract/zones';
import type { AddressRecord, BindRequest, NewHolder, SecretProof, Taken, TakeRequest, Want } from '../../ports/claims';
import type { ImportedClaim, ImportResult } from '../../ports/registry';
import { checkSecret } from '../../rules/secrets';
import { closedTo, unknownZone } from '../../rules/zone-limits';
import { claimKey } from '../records/claim-key';
import { grantedHolders, ownerOf, sameOwner } from '../records/claims';
import { NAMES_ALL } from '../../errors/named-objects';
import { explain, timeText } from '../records/holder-words';
import { newHolder } from '../records/holder-draft';
import type { LedgerContext } from '../records/ledger-context';
import { comparableHash, proofOf, type ShownProof } from '../records/proof';
import { orAgain, untilSettled, type Attempt } from '../records/until-settled';

type Verdict = Extract<ImportResult['verdict'], 'imported' | 'same'>;

/** An import that makes sense, with what it needs. */
interface ImportCase {
  readonly zone: Zone;
  readonly claim: ImportedClaim;
  readonly shown: ShownProof;
  readonly holders: readonly NewHolder[];
  readonly dryRun: boolean;
}

/**
 * Puts one address of another system on record; see `Registry.importClaim`. An address that a claimant has under another
 * secret is never touched.
 *
 * @param context - the ledger's parts
 * @param claim - address, secret and services as they were there
 * @param dryRun - only tell
 * @returns what became of it
 */
export async function importClaim(
  context: LedgerContext,
  claim: ImportedClaim,
  dryRun: boolean,
): Promise<ImportResult> {
  const { zone, address } = claim;
  const opened = openImport(context, claim, dryRun);
  const done = opened.ok
    ? await untilSettled(() => context.turns.run(address, () => importOnce(context, opened.value)))
    : opened;
  if (done.ok) return { zone, address, verdict: done.value };
  return { zone, address, verdict: 'refused', problem: done.refusal.message };
}

function openImport(context: LedgerContext, claim: ImportedClaim, dryRun: boolean): Outcome<ImportCase> {
  const catalogue = context.zones.current();
  const zone = catalogue.zone(claim.zone);
  if (zone === undefined) return { ok: false, refusal: unknownZone(catalogue, claim.zone) };
  const closed = closedTo(zone, claim.address);
  if (closed !== undefined) return { ok: false, refusal: closed };
  const secret = checkSecret(claim.secret, 'secret');
  if (!secret.ok) return secret;
  const shown = proofOf(context.hasher, { value: claim.secret, scope: 'shared' });
  const holders = holdersOf(claim, shown, context.clock.nowMs());
  return holders.ok ? accept({ zone, claim, shown, holders: holders.value, dryRun }) : holders;
}

function holdersOf(
  { zone, address, services }: ImportedClaim,
  shown: ShownProof,
  nowMs: number,
): Outcome<readonly NewHolder[]> {
  const value = address.toString();
  const nameless = services.find(({ service }) => service.serviceName === '');
  if (services.length === 0 || nameless !== undefined) {
    return refuse(
      'claim/invalid',
      `address "${value}" names ${nameless === undefined ? 'no service' : 'a service without a name'}`,
      { value },
    );
  }
  const current = services.filter(({ expiresAtMs = Infinity }) => expiresAtMs > nowMs);
  const [first] = services;
  if (current.length === 0) {
    const end = timeText(first?.expiresAtMs ?? nowMs);
    return refuse('claim/invalid', `the retention of address "${value}" ended at ${end}`, { value });
  }
  const holders = current.map(({ service, options, expiresAtMs }) =>
    newHolder({
      owner: ownerOf({ service, namespace: '' }),
      options,
      writtenKeys: [],
      sharing: undefined,
      purpose: undefined,
      expiry: expiresAtMs === undefined ? undefined : { kind: 'after', ms: expiresAtMs - nowMs },
      state: expiresAtMs === undefined ? 'bound' : 'retained',
      key: claimKey({ service, namespace: '' }, { zone, family: address.family, wish: address, hash: shown.hash }),
    }),
  );
  return accept(holders);
}

async function importOnce(context: LedgerContext, on: ImportCase): Promise<Attempt<Verdict>> {
  const { network } = on.zone;
  const { address } = on.claim;
  const record = await context.claims.get({ network, address });
  const problem = record === undefined ? undefined : standsAgainst(record, on);
  if (problem !== undefined) return problem;
  const granted = record === undefined ? [] : grantedHolders(record);
  // a holder that is here already came by itself since, or with a run before: what it says now counts
  const missing = on.holders.filter(({ owner }) => granted.every((each) => !sameOwner(each.owner, owner)));
  if (missing.length === 0) return accept('same');
  if (on.dryRun) return accept('imported');
  return putAll(context, on, { record, missing });
}

function standsAgainst(record: AddressRecord, { shown }: ImportCase): Outcome<never> | undefined {
  const value = record.address.toString();
  if (record.state === 'quarantined')
    return refuse('address/quarantined', `address "${value}" ${explain(record, NAMES_ALL)}`);
  if (record.state === 'foreign')
    return refuse('address/held', `address "${value}" ${explain(record, NAMES_ALL)}`, { value });
  if (grantedHolders(record).length === 0) return undefined;
  const kept = record.secret?.hash;
  if (kept !== undefined && kept === comparableHash(shown.hashes, kept)) return undefined;
  return refuse('secret/wrong', `address "${value}" ${explain(record, NAMES_ALL)} under another secret`, { value });
}

async function putAll(
  context: LedgerContext,
  { zone, claim: { address }, shown }: ImportCase,
  found: { readonly record: AddressRecord | undefined; readonly missing: readonly NewHolder[] },
): Promise<Attempt<Verdict>> {
  const { hashes: _hashes, ...secret } = shown;
  const { network, name, choosable: space } = zone;
  let { record } = found;
  for (const holder of found.missing) {
    const written: Attempt<AddressRecord> =
      record === undefined
        ? recordIn(await context.claims.take(takeOf({ network, pool: name, secret }, { address, space, holder })))
        : orAgain(await context.claims.bind(bindOf(record, { holder, secret })));
    if (written === 'again' || !written.ok) return written;
    record = written.value;
  }
  return accept('imported');
}

function takeOf(
  where: Pick<TakeRequest, 'network' | 'pool'> & { readonly secret: SecretProof },
  {
    holder: { key, ...holder },
    ...place
  }: Pick<Want, 'space'> & {
    readonly address: Address;
    readonly holder: NewHolder;
  },
): TakeRequest {
  const want = { ...place, family: place.address.family, ...(key === undefined ? {} : { key }) };
  return { ...where, wants: [want], holder };
}

// An object that only shows the address has no secret there.
function bindOf(record: AddressRecord, { holder, secret }: { holder: NewHolder; secret: SecretProof }): BindRequest {
  const { network, address, version } = record;
  const isNew = grantedHolders(record).length === 0;
  return { network, address, version, holder, ...(isNew ? { secret } : {}) };
}

function recordIn(taken: Outcome<readonly Taken[]>): Attempt<AddressRecord> {
  if (taken.ok) return taken.value[0]?.created === true ? accept(taken.value[0].record) : 'again';
  const { code } = taken.refusal;
  // it was free a moment ago
  return code === 'address/held' || code === 'address/quarantined' ? 'again' : taken;
}
