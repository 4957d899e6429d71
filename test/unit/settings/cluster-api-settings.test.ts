import { clusterApiProblems, CLUSTER_API_FLAGS } from '../../../operator/settings/cluster-api-options';

test('claims of Cluster API need a door that has pools', () => {
  const problems = (clusterApi: boolean, vips: boolean, networks = false) =>
    clusterApiProblems({ clusterApi, vips, networks }, CLUSTER_API_FLAGS);
  expect(problems(true, false)).toEqual([
    {
      code: 'settings/invalid',
      field: '--cluster-api',
      message: '--cluster-api: has no pools to give addresses from; set --vips or --networks',
    },
  ]);
  expect([problems(true, true), problems(true, false, true), problems(false, false)]).toEqual([[], [], []]);
});
