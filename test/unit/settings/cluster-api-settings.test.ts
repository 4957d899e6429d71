import { clusterApiProblems, CLUSTER_API_FLAGS } from '../../../operator/settings/cluster-api-options';

test('claims of Cluster API need a door that has pools', () => {
  const problems = (clusterApi: boolean, vips: boolean) => clusterApiProblems({ clusterApi, vips }, CLUSTER_API_FLAGS);
  expect(problems(true, false)).toEqual([
    {
      ...{ code: 'settings/invalid', field: '--cluster-api' },
      message: '--cluster-api: has no pools to give addresses from; set --vips',
    },
  ]);
  expect([problems(true, true), problems(false, false)]).toEqual([[], []]);
});
