import type { Address, Family } from '../addressing/address';
import { accept, refuse, type Outcome } from '../errors/outcome';
import {
  dualNeedsPolicy,
  FAMILY_FIELDS,
  familyConflict,
  familyName,
  familyNames,
  isDualPolicy,
  otherFamily,
  singleStackCluster,
  specFamilies,
  wishedFamily,
  type FamilyFacts,
  type FamilyPlan,
} from './family-facts';
import { planStoredFamilies } from './stored-families';
import { addressField } from './wishes';

const { policy: POLICY, families: FAMILIES, annotation: ANNOTATION } = FAMILY_FIELDS;

/**
 * Decides which families a Service has, before anything is reserved: its spec, else the annotation, else the primary
 * family of the cluster.
 *
 * @param facts - spec, stored object, annotation, wished addresses and the cluster's families
 * @returns the plan; or refusal `wish/family`, `wish/immutable` with the fields that disagree
 */
export function planFamilies(facts: FamilyFacts): Outcome<FamilyPlan> {
  const before = facts.stored === undefined ? [] : specFamilies(facts.stored);
  const plan = before.length === 0 ? planNewFamilies(facts) : planStoredFamilies(facts, before);
  if (!plan.ok) return plan;
  const stranger = facts.addresses.find(({ family }) => !plan.value.families.includes(family));
  return stranger === undefined
    ? plan
    : refuseStranger(stranger, plan.value, addressField(stranger, facts.addressFields));
}

// What the API server will store for a new object (its own defaulting: admission-facts 2.2).
function planNewFamilies(facts: FamilyFacts): Outcome<FamilyPlan> {
  const { spec, wish, clusterFamilies } = facts;
  const named = specFamilies(spec);
  const problem = newSpecProblem(facts, named);
  if (problem !== undefined) return problem;
  const first = named[0] ?? clusterFamilies[0] ?? 4;
  const two = isDualPolicy(spec.ipFamilyPolicy) || named.length > 1 || wish === 'dual';
  if (!two) return planSingle(facts, first);
  if (clusterFamilies.length < 2) return planOnSingleStack(facts, first);
  return planDual(facts, named.length > 0 ? [first, otherFamily(first)] : [6, 4]);
}

function newSpecProblem(
  { spec, wish, clusterFamilies }: FamilyFacts,
  named: readonly Family[],
): Outcome<never> | undefined {
  const foreign = named.find((family) => !clusterFamilies.includes(family));
  if (foreign !== undefined) {
    const has = familyNames(clusterFamilies);
    return familyConflict(
      FAMILIES,
      `${FAMILIES} names ${familyName(foreign)} but this cluster has ${has} Services only`,
    );
  }
  if (spec.ipFamilyPolicy !== 'SingleStack') return undefined;
  if (named.length < 2 && wish !== 'dual') return undefined;
  const two = named.length > 1 ? `${FAMILIES} names two families` : `${ANNOTATION} is "dual"`;
  return familyConflict(POLICY, `${POLICY} is SingleStack but ${two}; leave the policy out or set RequireDualStack`);
}

function planOnSingleStack(facts: FamilyFacts, first: Family): Outcome<FamilyPlan> {
  const { spec, wish, clusterFamilies } = facts;
  if (wish === 'dual') return singleStackCluster(ANNOTATION, clusterFamilies);
  if (spec.ipFamilyPolicy !== 'PreferDualStack') return singleStackCluster(POLICY, clusterFamilies);
  const single = planSingle(facts, first);
  return single.ok ? accept({ ...single.value, unfulfilled: otherFamily(first) }) : single;
}

function planDual({ spec, stored, wish }: FamilyFacts, order: readonly Family[]): Outcome<FamilyPlan> {
  const policy = spec.ipFamilyPolicy;
  if (wish !== undefined && wish !== 'dual') {
    const source = policy === undefined ? `${FAMILIES} names two families` : `${POLICY} is ${policy}`;
    return familyConflict(
      ANNOTATION,
      `${ANNOTATION} is "${wish}" but ${source}; set "dual", or ask for one family in both places`,
    );
  }
  if (policy !== undefined || wish === undefined) return accept({ families: order });
  // only a CREATE may get the policy from us
  return stored === undefined ? accept({ families: order, setPolicy: 'RequireDualStack' }) : dualNeedsPolicy();
}

function planSingle({ spec, wish }: FamilyFacts, first: Family): Outcome<FamilyPlan> {
  if (wish === undefined || wish === 'dual' || wishedFamily(wish) === first) return accept({ families: [first] });
  const wished = familyName(wishedFamily(wish));
  const said = `${ANNOTATION} is "${wish}" but`;
  if (specFamilies(spec).length > 0) {
    return familyConflict(ANNOTATION, `${said} ${FAMILIES} is [${familyName(first)}]; make both say the same`);
  }
  return familyConflict(
    ANNOTATION,
    `${said} Services of this cluster are ${familyName(first)} unless they say more; set ${FAMILIES}: [${wished}] too`,
  );
}

function refuseStranger(address: Address, plan: FamilyPlan, field: string): Outcome<never> {
  const value = address.toString();
  const has = plan.families.length > 1 ? 'both families' : `${familyNames(plan.families)} only`;
  const alone = plan.unfulfilled !== undefined;
  const help = alone ? 'this cluster has one family' : `set ${FAMILIES}, or ${ANNOTATION} "dual" on a new Service`;
  return refuse(
    'wish/family',
    `${field}: the Service asks for ${value} (${familyName(address.family)}) but has ${has}; ${help}`,
    { field, value },
  );
}
