<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_TW" sourcelanguage="en">
  <context>
    <name>gpuplanner</name>
    <message>
      <location filename="drawing/answer_titles.py" />
      <source>80 % band, low</source>
      <translation>80 % 區間下限</translation>
    </message>
    <message>
      <location filename="drawing/answer_titles.py" />
      <source>80 % band, high</source>
      <translation>80 % 區間上限</translation>
    </message>
    <message>
      <location filename="drawing/answer_titles.py" />
      <source>80 % band, low, as a factor</source>
      <translation>80 % 區間下限（倍數）</translation>
    </message>
    <message>
      <location filename="drawing/answer_titles.py" />
      <source>80 % band, high, as a factor</source>
      <translation>80 % 區間上限（倍數）</translation>
    </message>
    <message>
      <location filename="drawing/answer_titles.py" />
      <source>Error against Little's law</source>
      <translation>與 Little 定律的誤差</translation>
    </message>
    <message>
      <location filename="drawing/answer_titles.py" />
      <source>Arithmetic intensity</source>
      <translation>算術強度</translation>
    </message>
    <message>
      <location filename="drawing/answer_titles.py" />
      <source>Batch, log₂</source>
      <translation>批次，log₂</translation>
    </message>
    <message>
      <location filename="drawing/answer_titles.py" />
      <source>Devices, log₂</source>
      <translation>裝置數，log₂</translation>
    </message>
    <message>
      <location filename="drawing/answer_titles.py" />
      <source>Time, log₂</source>
      <translation>時間，log₂</translation>
    </message>
    <message>
      <location filename="drawing/answer_titles.py" />
      <source>Prompt, log₂</source>
      <translation>提示長度，log₂</translation>
    </message>
    <message>
      <location filename="drawing/answer_titles.py" />
      <source>Answer, log₂</source>
      <translation>回答長度，log₂</translation>
    </message>
    <message>
      <location filename="drawing/answer_titles.py" />
      <source>Cost</source>
      <translation>成本</translation>
    </message>
    <message>
      <location filename="drawing/answer_titles.py" />
      <source>Total</source>
      <translation>總計</translation>
    </message>
    <message>
      <location filename="drawing/answer_titles.py" />
      <source>Total time</source>
      <translation>總時間</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Used</source>
      <translation>使用</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Set</source>
      <translation>量測組</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Tool</source>
      <translation>工具</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Runs</source>
      <translation>執行數</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Accepted</source>
      <translation>採計</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Speaks of</source>
      <translation>涉及階段</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Missing</source>
      <translation>缺少</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>GPU Planner probe</source>
      <translation>GPU Planner 探測程式</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>trtllm-bench report</source>
      <translation>trtllm-bench 報告</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>SGLang bench_serving</source>
      <translation>SGLang bench_serving</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>vLLM bench serve</source>
      <translation>vLLM bench serve</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>vLLM bench throughput</source>
      <translation>vLLM bench throughput</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>vLLM bench latency</source>
      <translation>vLLM bench latency</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>AIPerf records</source>
      <translation>AIPerf 紀錄</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>GuideLLM report</source>
      <translation>GuideLLM 報告</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>llama-bench</source>
      <translation>llama-bench</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Hugging Face Trainer state</source>
      <translation>Hugging Face Trainer 狀態</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Hugging Face Trainer results</source>
      <translation>Hugging Face Trainer 結果</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>AIPerf or GenAI-Perf summary</source>
      <translation>AIPerf 或 GenAI-Perf 摘要</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>GuideLLM table</source>
      <translation>GuideLLM 表格</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>vLLM or SGLang serving benchmark, as printed</source>
      <translation>vLLM 或 SGLang 服務基準測試（主控台輸出）</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>MLPerf LoadGen summary</source>
      <translation>MLPerf LoadGen 摘要</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>DeepSpeed flops profiler</source>
      <translation>DeepSpeed flops profiler</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>PyTorch profiler table</source>
      <translation>PyTorch profiler 表格</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>nccl-tests</source>
      <translation>nccl-tests</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>nvidia-smi log</source>
      <translation>nvidia-smi 記錄</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>nvidia-smi dmon</source>
      <translation>nvidia-smi dmon</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>dcgmi dmon</source>
      <translation>dcgmi dmon</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>dcgm-exporter</source>
      <translation>dcgm-exporter</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Megatron-LM log</source>
      <translation>Megatron-LM 記錄檔</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>NeMo log</source>
      <translation>NeMo 記錄檔</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>table</source>
      <translation>表格</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>GPU Planner measurements</source>
      <translation>GPU Planner 量測資料</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>left out</source>
      <translation>未採用</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>yes</source>
      <translation>是</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>in part</source>
      <translation>部分</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>not yet</source>
      <translation>尚未</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Case</source>
      <translation>案例</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Quantity</source>
      <translation>量</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Measured</source>
      <translation>量測值</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Shipped</source>
      <translation>隨附校準</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Slower by</source>
      <translation>慢了</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>By the others</source>
      <translation>依其他量測</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Expected</source>
      <translation>預期</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>80 % band</source>
      <translation>80 % 區間</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>{low} to {high}</source>
      <translation>{low} 至 {high}</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Accelerator</source>
      <translation>加速器</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Run</source>
      <translation>整次執行</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Band now</source>
      <translation>目前區間</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Afterwards</source>
      <translation>之後</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Doubt removed</source>
      <translation>消除的疑慮</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>serving on {count}, {precision}, {at_once} requests at once</source>
      <translation>在 {count} 個裝置上服務，{precision}，同時 {at_once} 個請求</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>training on {count}, {batch} sequences a step</source>
      <translation>訓練，{count} 個裝置，每步 {batch} 個序列</translation>
    </message>
    <message>
      <location filename="drawing/results.py" />
      <source>Failed</source>
      <translation>失敗</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>Inputs that differ</source>
      <translation>不同的輸入</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>Results</source>
      <translation>結果</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>Ranking</source>
      <translation>排名</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>none</source>
      <translation>無</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>Score by your weights</source>
      <translation>依您權重的評分</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>Rank</source>
      <translation>名次</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>Costs less than {name} in</source>
      <translation>成本低於 {name} 的比例</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>Serve on</source>
      <translation>推論服務使用</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>Train on</source>
      <translation>訓練使用</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>no</source>
      <translation>否</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>no limit</source>
      <translation>不限</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>Buying</source>
      <translation>購買</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>Buying today's fleet for use around the clock,</source>
      <translation>購買今日的機群並全天使用，</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>{what} instead of renting at {rent}: worth {worth} today, never pays back</source>
      <translation>{what}而不以 {rent} 租用：現值 {worth}，無法回收</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>{what} instead of renting at {rent}: worth {worth} today, returns {rate} a year, pays back in {years}</source>
      <translation>{what}而不以 {rent} 租用：現值 {worth}，年報酬率 {rate}，{years} 回收</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>in FP8</source>
      <translation>採用 FP8</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>on spot capacity</source>
      <translation>以 Spot 容量</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>both {usd}</source>
      <translation>兩者合計 {usd}</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>The run costs less: {levers}</source>
      <translation>可降低訓練成本：{levers}</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>a year</source>
      <translation>每年</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>the run</source>
      <translation>整次訓練</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>Draws {power} with cooling; {period}: {energy}, {carbon} CO₂e ({embodied} of it made with the devices), {water} of water</source>
      <translation>含冷卻耗電 {power}；{period}：{energy}，{carbon} CO₂e（其中 {embodied} 來自裝置製造），用水 {water}</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>No maker states this device's power: {each} each, with its share of the node, is assumed from its nearest relatives; four times in five such a guess lies within {low} to {high}.</source>
      <translation>製造商未公布此裝置的功率：每個 {each}（含其分攤的節點）是依最相近的裝置所作的假設；這類估計五次中有四次落在 {low} 到 {high} 之間。</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>{count} for three years</source>
      <translation>三年期 {count} 個</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>{count} for a year</source>
      <translation>一年期 {count} 個</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>up to {count} by the hour</source>
      <translation>按時至多 {count} 個</translation>
    </message>
    <message>
      <location filename="drawing/decision_rows.py" />
      <source>Following the load, replicas in the first year: {mix}; {usd} over {years}, worth today</source>
      <translation>隨負載調整，第一年的副本：{mix}；{years} 期間 {usd}（現值）</translation>
    </message>
    <message>
      <location filename="drawing/details.py" />
      <source>{differing} of {total} figures differ.</source>
      <translation>{total} 個數字中有 {differing} 個不同。</translation>
    </message>
    <message>
      <location filename="drawing/evidence.py" />
      <source>serving</source>
      <translation>推論服務</translation>
    </message>
    <message>
      <location filename="drawing/evidence.py" />
      <source>own: {name}</source>
      <translation>自有：{name}</translation>
    </message>
    <message>
      <location filename="drawing/evidence.py" />
      <source>own, left out: {name}</source>
      <translation>自有，未採用：{name}</translation>
    </message>
    <message>
      <location filename="drawing/evidence.py" />
      <source>Distance</source>
      <translation>距離</translation>
    </message>
    <message>
      <location filename="drawing/evidence.py" />
      <source>Own</source>
      <translation>自有</translation>
    </message>
    <message>
      <location filename="drawing/evidence.py" />
      <source>Measured case</source>
      <translation>量測案例</translation>
    </message>
    <message>
      <location filename="drawing/evidence.py" />
      <source>Predicted</source>
      <translation>預測值</translation>
    </message>
    <message>
      <location filename="drawing/evidence.py" />
      <source>Measured / predicted time</source>
      <translation>量測／預測時間</translation>
    </message>
    <message>
      <location filename="drawing/evidence.py" />
      <source>Differs in</source>
      <translation>差異</translation>
    </message>
    <message>
      <location filename="drawing/evidence.py" />
      <source>Source</source>
      <translation>來源</translation>
    </message>
    <message>
      <location filename="drawing/evidence.py" />
      <source>nothing</source>
      <translation>無</translation>
    </message>
    <message>
      <location filename="drawing/evidence.py" />
      <source>training</source>
      <translation>訓練</translation>
    </message>
    <message>
      <location filename="drawing/evidence.py" />
      <source>No measured case of {workload} is near this plan.</source>
      <translation>沒有接近此方案的{workload}量測案例。</translation>
    </message>
    <message>
      <location filename="drawing/evidence.py" />
      <source>{workload}: the {count} nearest measured cases took {low} to {high} of the predicted time, {middle} in the middle; the nearest is {distance} away (1: twice the devices).</source>
      <translation>{workload}：最接近的 {count} 個量測案例實際耗時為預測的 {low} 至 {high}，中位數 {middle}；最近者的距離為 {distance}（1：相當於裝置數加倍）。</translation>
    </message>
    <message>
      <location filename="drawing/format_rows.py" />
      <source>native</source>
      <translation>原生</translation>
    </message>
    <message>
      <location filename="drawing/format_rows.py" />
      <source>emulated</source>
      <translation>模擬</translation>
    </message>
    <message>
      <location filename="drawing/format_rows.py" />
      <source>not at all</source>
      <translation>完全不支援</translation>
    </message>
    <message>
      <location filename="drawing/format_rows.py" />
      <source>{precision} weights</source>
      <translation>{precision} 權重</translation>
    </message>
    <message>
      <location filename="drawing/format_rows.py" />
      <source>By the hardware's own rates.</source>
      <translation>依硬體本身的速率。</translation>
    </message>
    <message>
      <location filename="drawing/format_rows.py" />
      <source>Number formats</source>
      <translation>數值格式</translation>
    </message>
    <message>
      <location filename="drawing/format_rows.py" />
      <source>Native, unpacked to 16 bits first (emulated), or not at all.</source>
      <translation>原生、先解開為 16 位元（模擬），或完全不支援。</translation>
    </message>
    <message>
      <location filename="drawing/format_rows.py" />
      <source>{engine}, KV cache</source>
      <translation>{engine}，KV 快取</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>BF16 peak</source>
      <translation>BF16 峰值</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>FP8 peak</source>
      <translation>FP8 峰值</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>FP4 peak</source>
      <translation>FP4 峰值</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Memory bandwidth</source>
      <translation>記憶體頻寬</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Memory size</source>
      <translation>記憶體容量</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Decode, batch {batch}</source>
      <translation>解碼，批次 {batch}</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Training step</source>
      <translation>訓練步驟</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Prefill</source>
      <translation>預填</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>{gain} ({low} to {high})</source>
      <translation>{gain}（{low} 至 {high}）</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>first</source>
      <translation>前者</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>second</source>
      <translation>後者</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>{name} does not run it</source>
      <translation>{name}無法執行</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>{name} lacks {missing} per device</source>
      <translation>{name}每個裝置缺 {missing}</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>{name} lacks {missing} per device ({part})</source>
      <translation>{name}每個裝置缺 {missing}（{part}）</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>{precision}, emulated</source>
      <translation>{precision}（模擬）</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>{time} in {precision}</source>
      <translation>{precision} 時 {time}</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Phase</source>
      <translation>階段</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>FP8</source>
      <translation>FP8</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Devices</source>
      <translation>裝置數</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Gain (80 % band)</source>
      <translation>增益（80 % 區間）</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Bound by</source>
      <translation>受限於</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Published (pairs)</source>
      <translation>公開結果（成對數）</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>allowed</source>
      <translation>允許</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>{low} to {high}× ({pairs})</source>
      <translation>{low} 至 {high}×（{pairs}）</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Datasheet: {parts}</source>
      <translation>規格表：{parts}</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Model</source>
      <translation>模型</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Formats</source>
      <translation>格式</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Batch</source>
      <translation>批次</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Gain</source>
      <translation>增益</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Pairs</source>
      <translation>成對數</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Software</source>
      <translation>軟體</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>{low} to {high}×</source>
      <translation>{low} 至 {high}×</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>Decode</source>
      <translation>解碼</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>{second}: no phase runs on both</source>
      <translation>{second}：沒有任何階段兩者皆可執行</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>{second} gains {least} in {where_least} and {most} in {where_most}</source>
      <translation>{second} 的增益：最小 {least}（{where_least}），最大 {most}（{where_most}）</translation>
    </message>
    <message>
      <location filename="drawing/gain_rows.py" />
      <source>{phase} with FP8</source>
      <translation>{phase}，使用 FP8</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>weights</source>
      <translation>權重</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>activations</source>
      <translation>活化值</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>runtime</source>
      <translation>執行環境</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>KV cache</source>
      <translation>KV 快取</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>memory size is not known</source>
      <translation>記憶體容量不明</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>{size} free</source>
      <translation>剩餘 {size}</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>{size} missing</source>
      <translation>不足 {size}</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>{count} (all of the model's)</source>
      <translation>{count}（模型的全部）</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>unlimited</source>
      <translation>無上限</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>Weights</source>
      <translation>權重</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>Memory per device</source>
      <translation>每個裝置的記憶體</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>Runs out at</source>
      <translation>用盡之處</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>Largest batch at {count} tokens</source>
      <translation>{count} token 時的最大批次</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>Longest context at batch {batch}</source>
      <translation>批次 {batch} 時的最長上下文</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>Largest model</source>
      <translation>最大的模型</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>Batch {batch} of {count} tokens lacks {missing} per device: memory runs out at the {part}</source>
      <translation>批次 {batch}、每序列 {count} token 時，每個裝置缺 {missing}：記憶體在{part}處用盡</translation>
    </message>
    <message>
      <location filename="drawing/limit_rows.py" />
      <source>Holds {batch} sequences of {count} tokens, or {given} of {longest} tokens</source>
      <translation>可容納 {batch} 個 {count} token 的序列，或 {given} 個 {longest} token 的序列</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Peak, undisturbed</source>
      <translation>尖峰，無干擾</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Burst × {factor} for {time}</source>
      <translation>突發 × {factor}，持續 {time}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>One replica lost for {time}</source>
      <translation>失去一個副本，持續 {time}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>A zone lost: {count} replicas for {time}</source>
      <translation>失去一個區域：{count} 個副本，持續 {time}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Reload, {count} at a time, {time}</source>
      <translation>重新載入，每次 {count} 個，{time}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Prefix cache cold for {time}</source>
      <translation>前綴快取未命中，持續 {time}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Prompts × {factor} for {time}</source>
      <translation>提示 × {factor}，持續 {time}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Test</source>
      <translation>測試</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Passed</source>
      <translation>通過</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Worst TTFT</source>
      <translation>最差 TTFT</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Recovery</source>
      <translation>恢復時間</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>not within a minute</source>
      <translation>一分鐘內未恢復</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>{count} not answered</source>
      <translation>{count} 個未回應</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>{time}, {count} preempted</source>
      <translation>{time}，{count} 個被搶佔</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Figure</source>
      <translation>數字</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Value</source>
      <translation>值</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Meaning</source>
      <translation>意義</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>simulated</source>
      <translation>模擬值</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>closed form</source>
      <translation>封閉解</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>No rate meets the targets ({basis})</source>
      <translation>沒有任何速率符合目標（{basis}）</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Replicas for the peak</source>
      <translation>尖峰所需副本</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>{peak} over {rate} each at the targets ({basis}), with headroom</source>
      <translation>{peak}，每個副本符合目標時可承載 {rate}（{basis}），含餘裕</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>With zones and spares</source>
      <translation>含區域與備援</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Enough of them up</source>
      <translation>足夠副本可用的比例</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>target {target}; {count} would be needed</source>
      <translation>目標 {target}；需要 {count} 個</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>target {target}</source>
      <translation>目標 {target}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Requests that find no slot</source>
      <translation>找不到空位的請求</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>of {slots} slots at the peak, by Erlang's formula</source>
      <translation>尖峰時 {slots} 個空位，依 Erlang 公式</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>{zones} zones of which one may fail, and {spares} spare</source>
      <translation>{zones} 個區域，可容許其中一個失效，另有 {spares} 個備援</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>{spares} spare</source>
      <translation>{spares} 個備援</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>machine</source>
      <translation>機器</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>image</source>
      <translation>映像檔</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>compile</source>
      <translation>編譯</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>graphs</source>
      <translation>CUDA Graph</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>warm-up</source>
      <translation>暖機</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Cold start</source>
      <translation>冷啟動</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>All started together</source>
      <translation>全部同時啟動</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>{bytes} each from one store</source>
      <translation>同一儲存讀取，各 {bytes}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>New model on all</source>
      <translation>全部換上新模型</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>a few at a time, the others go on serving</source>
      <translation>每次幾個，其餘繼續服務</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Headroom for autoscaling</source>
      <translation>自動擴縮所需餘裕</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>what comes before a new replica serves, at {growth} more per minute</source>
      <translation>新副本開始服務前增加的量，每分鐘增加 {growth}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Following the load</source>
      <translation>隨負載調整</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>{share} less</source>
      <translation>減少 {share}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>{auto} replica-hours a week instead of {static}</source>
      <translation>每週 {auto} 副本小時，而非 {static}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Commit to</source>
      <translation>承諾租用</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>needed for more of the time than a reserved hour costs of one on demand, {ratio}</source>
      <translation>需要這些副本的時間比例高於預留與隨需每小時價格之比 {ratio}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>{share} of requests would meet a cold replica; mean gap {gap} in the quietest hour</source>
      <translation>{share} 的請求會遇到冷副本；最清閒的一小時平均間隔 {gap}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>breaks a target</source>
      <translation>未達成某項目標</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>saves {share}</source>
      <translation>節省 {share}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>does not pay</source>
      <translation>不划算</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Scaling to zero</source>
      <translation>縮減至零</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>more than {most}</source>
      <translation>超過 {most}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>{count} replicas</source>
      <translation>{count} 個副本</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>1 replica</source>
      <translation>1 個副本</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>One pool</source>
      <translation>單一資源池</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>first come, first served, spares aside</source>
      <translation>先到先服務，備援不計</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>One pool with priorities</source>
      <translation>有優先順序的單一資源池</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>lower priority waits</source>
      <translation>低優先者等候</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>A pool for each class</source>
      <translation>每個類別各一個資源池</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>{prefill} + {decode}; a prompt's cache is sent in {time}</source>
      <translation>{prefill} + {decode}；傳送一個提示的快取需 {time}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>no sizes of the two meet the targets</source>
      <translation>兩者的任何規模都達不到目標</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Prefill and decode apart</source>
      <translation>預填與解碼分開</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Configuration</source>
      <translation>組態</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Replicas</source>
      <translation>副本數</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Per hour</source>
      <translation>每小時</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>Why</source>
      <translation>理由</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>cheapest within every target</source>
      <translation>符合所有目標中最便宜</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>{candidate}, batch {batch}, {budget} tok</source>
      <translation>{candidate}，批次 {batch}，{budget} tok</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>costs the same</source>
      <translation>成本相同</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>{name} is {measured} even at little load: the target of {limit} would have to be looser</source>
      <translation>即使負載很低，{name} 也有 {measured}：{limit} 的目標必須放寬</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>without end</source>
      <translation>無止境</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>for that money {name} is {measured}, target {limit}</source>
      <translation>同樣花費下，{name} 為 {measured}，目標 {limit}</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>would win at {share} of its price</source>
      <translation>價格降到 {share} 時會勝出</translation>
    </message>
    <message>
      <location filename="drawing/load_rows.py" />
      <source>no number of replicas is enough</source>
      <translation>再多副本也不夠</translation>
    </message>
    <message>
      <location filename="drawing/measuring_commands.py" />
      <source>Start your server as the plan has it, then:</source>
      <translation>先依計畫啟動您的伺服器，然後：</translation>
    </message>
    <message>
      <location filename="drawing/measuring_commands.py" />
      <source>Put the arguments that build your model's layers in place of these:</source>
      <translation>請將此處換成建立您模型各層的參數：</translation>
    </message>
    <message>
      <location filename="drawing/method_pages.py" />
      <source>Reading the formulas…</source>
      <translation>正在讀取公式…</translation>
    </message>
    <message>
      <location filename="drawing/method_pages.py" />
      <source>Formulas</source>
      <translation>公式（以英文列出）</translation>
    </message>
    <message>
      <location filename="drawing/method_pages.py" />
      <source>How it was checked</source>
      <translation>如何查核</translation>
    </message>
    <message>
      <location filename="drawing/method_pages.py" />
      <source>Where it ends</source>
      <translation>適用限制</translation>
    </message>
    <message>
      <location filename="drawing/method_pages.py" />
      <source>Result: a plain number</source>
      <translation>結果：純數字</translation>
    </message>
    <message>
      <location filename="drawing/method_pages.py" />
      <source>Result in {unit}</source>
      <translation>結果單位：{unit}</translation>
    </message>
    <message>
      <location filename="drawing/method_pages.py" />
      <source>From: {inputs}</source>
      <translation>輸入：{inputs}</translation>
    </message>
    <message>
      <location filename="drawing/method_pages.py" />
      <source>Source: {source}</source>
      <translation>來源：{source}</translation>
    </message>
    <message>
      <location filename="drawing/numbers.py" />
      <source>Serving</source>
      <translation>推論服務</translation>
    </message>
    <message>
      <location filename="drawing/numbers.py" />
      <source>Training</source>
      <translation>訓練</translation>
    </message>
    <message>
      <location filename="drawing/numbers.py" />
      <source>Mean</source>
      <translation>平均</translation>
    </message>
    <message>
      <location filename="drawing/numbers.py" />
      <source>Memory</source>
      <translation>記憶體</translation>
    </message>
    <message>
      <location filename="drawing/numbers.py" />
      <source>Bandwidth</source>
      <translation>頻寬</translation>
    </message>
    <message>
      <location filename="drawing/plots/batch_shares.py" />
      <source>sequences decoded together</source>
      <translation>同時解碼的序列數</translation>
    </message>
    <message>
      <location filename="drawing/plots/batch_shares.py" />
      <source>share of the step</source>
      <translation>佔單步的比例</translation>
    </message>
    <message>
      <location filename="drawing/plots/batch_shares.py" />
      <source>planned batch {batch}</source>
      <translation>規劃批次 {batch}</translation>
    </message>
    <message>
      <location filename="drawing/plots/batch_shares.py" />
      <source>memory holds {batch}</source>
      <translation>記憶體可容納 {batch}</translation>
    </message>
    <message>
      <location filename="drawing/plots/batch_shares.py" />
      <source>crossover {batch}</source>
      <translation>交叉點 {batch}</translation>
    </message>
    <message>
      <location filename="drawing/plots/batch_shares.py" />
      <source>What a decode step's time goes to, by resource, for as many sequences as are decoded together. Where the lines cross over, computing takes longer than reading memory.</source>
      <translation>一個解碼步驟的時間用在哪些資源，依同時解碼的序列數而定。過了交叉點，運算所需時間便超過讀取記憶體。</translation>
    </message>
    <message>
      <location filename="drawing/plots/batch_shares.py" />
      <source>The selected candidate cannot run: it decodes nothing.</source>
      <translation>所選候選方案無法執行：它不解碼任何內容。</translation>
    </message>
    <message>
      <location filename="drawing/plots/batch_shares.py" />
      <source>batch {batch}: {time}, {rate}</source>
      <translation>批次 {batch}：{time}，{rate}</translation>
    </message>
    <message>
      <location filename="drawing/plots/batch_shares.py" />
      <source>Tokens/s</source>
      <translation>Token/s</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>paid, not used</source>
      <translation>已付費但未使用</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>What each candidate costs, the best on top: per million output tokens, or for the whole training run. Colours say what the paid time is used for; grey is paid for and stands idle.</source>
      <translation>每個候選方案的成本，最佳者在最上方：以每百萬個輸出 token 計，或以整次訓練計。顏色表示所付時間的用途；灰色為已付費但閒置。</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>No candidate to show.</source>
      <translation>沒有可顯示的候選方案。</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>no price</source>
      <translation>無價格</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>No price is known for the selected candidate</source>
      <translation>所選候選方案沒有已知價格</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>{name}: {cost} for the run</source>
      <translation>{name}：整次訓練 {cost}</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>{name}: {cost} per M output tokens</source>
      <translation>{name}：每百萬輸出 token {cost}</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>{text}, {unused} of it unused</source>
      <translation>{text}，其中 {unused} 未使用</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>not used</source>
      <translation>未使用</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>Cost per M output tokens</source>
      <translation>每百萬輸出 token 成本</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>Cost of the run</source>
      <translation>整次訓練成本</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>Candidate</source>
      <translation>候選方案</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>Paid, not used</source>
      <translation>已付費但未使用</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>Requests per second and replica</source>
      <translation>每個副本每秒請求數</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>p95, simulated</source>
      <translation>p95，模擬值</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>target</source>
      <translation>目標</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>How latency grows with the requests that one replica gets. p50, p95 and p99 are times that so many of a hundred requests stay under. The dashed level line is your target, upright lines are rates.</source>
      <translation>延遲如何隨單一副本收到的請求增加。p50、p95、p99 表示每一百個請求中有那麼多個低於該時間。水平虛線是您的目標，直線是速率。</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>Waiting for the load curve of the selected candidate.</source>
      <translation>正在等候所選候選方案的負載曲線。</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>planned {rate}</source>
      <translation>規劃 {rate}</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>saturates at {rate}</source>
      <translation>飽和於 {rate}</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>knee at {rate}</source>
      <translation>轉折點 {rate}</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>{name} p95 is {latency} at the planned rate</source>
      <translation>在規劃速率下 {name} p95 為 {latency}</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>Never holds {name} within {limit}</source>
      <translation>{name} 始終無法維持在 {limit} 以內</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>Holds {name} to {rate} per replica</source>
      <translation>每個副本在 {rate} 以內可維持 {name}</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>{batch} in the batch</source>
      <translation>批次中有 {batch} 個</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>KV cache {share} full</source>
      <translation>KV 快取已用 {share}</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>mean</source>
      <translation>平均</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>Rate per replica</source>
      <translation>每個副本的速率</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>Output tokens</source>
      <translation>輸出 token</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>KV cache in use</source>
      <translation>使用中的 KV 快取</translation>
    </message>
    <message>
      <location filename="drawing/plots/load.py" />
      <source>Preempted</source>
      <translation>被搶佔</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>capacity</source>
      <translation>容量</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>What fills the memory of one device, part by part; the mark across each bar is how much the device has. A bar beyond its mark does not fit.</source>
      <translation>逐項顯示一個裝置的記憶體由什麼佔用；橫跨長條的標記是裝置的容量。超過標記的長條放不下。</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>The memory size of this device is not known</source>
      <translation>此裝置的記憶體容量不明</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>Does not fit: {missing} per device missing</source>
      <translation>放不下：每個裝置缺 {missing}</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>Uses {used} of {capacity} per device, {free} free</source>
      <translation>每個裝置 {capacity} 中使用 {used}，剩餘 {free}</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>Capacity</source>
      <translation>容量</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>{missing} missing</source>
      <translation>不足 {missing}</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>{free} free</source>
      <translation>剩餘 {free}</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory_frontier.py" />
      <source>tokens of each sequence</source>
      <translation>每個序列的 token 數</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory_frontier.py" />
      <source>sequences at once</source>
      <translation>同時的序列數</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory_frontier.py" />
      <source>planned</source>
      <translation>規劃值</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory_frontier.py" />
      <source>How many sequences fit at once, by their length, for each number format. Under a line everything fits, above it memory is lacking; the cross is what is planned.</source>
      <translation>各數值格式下，依序列長度可同時容納多少序列。線的下方都放得下，上方則記憶體不足；十字是計畫的情況。</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory_frontier.py" />
      <source>Working out what fits…</source>
      <translation>正在計算放得下多少…</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory_frontier.py" />
      <source>{tokens} tokens: {held} sequences</source>
      <translation>{tokens} token：{held} 個序列</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory_frontier.py" />
      <source>Context</source>
      <translation>上下文</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory_frontier.py" />
      <source>Longest context at the planned batch</source>
      <translation>規劃批次下的最長上下文</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>What the same load costs over the horizon, worth today, paid for in each way: rented on demand, reserved or bought. The shortest bar is the cheapest way.</source>
      <translation>相同負載在規劃期間以各種方式付款的成本（現值）：隨需租用、預留或購買。最短的長條最便宜。</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>Weighing terms…</source>
      <translation>正在比較採購方式…</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>No term has a known price.</source>
      <translation>沒有任何採購方式有已知價格。</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>{name}: {usd} for {count} × {device}, worth today of {years}</source>
      <translation>{name}：{count} × {device} 共 {usd}，為 {years} 的現值</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>{name}: {usd} for up to {count} × {device}, worth today of {years}</source>
      <translation>{name}：最多 {count} × {device} 共 {usd}，為 {years} 的現值</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>{text}; renting by the hour always beats owning</source>
      <translation>{text}；按時租用始終優於自有</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>{text}; owning pays above {share} use</source>
      <translation>{text}；使用率高於 {share} 時自有較划算</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>Term</source>
      <translation>採購方式</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>Device-hour</source>
      <translation>裝置小時</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>Cost over the horizon</source>
      <translation>規劃期間總成本</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>Owning pays above</source>
      <translation>自有划算的門檻</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>Follow the load, mixed terms</source>
      <translation>隨負載混合租用</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>What an hour in which a device that you own is up consists of: the purchase, power, site, people and the rest; beside it, what such an hour costs others.</source>
      <translation>自有裝置可用的一小時由哪些部分構成：購置、電力、場地、人員及其他；旁邊是他人同樣一小時的成本。</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>Weighing ownership…</source>
      <translation>正在評估自有…</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>No purchase price is known.</source>
      <translation>沒有已知的購買價格。</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>Your terms</source>
      <translation>您的條件</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>An owned {device}-hour costs {usd}, {share} of it {part}</source>
      <translation>自有一個 {device} 小時的成本為 {usd}，其中 {share} 是{part}</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>Part</source>
      <translation>項目</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>Per year</source>
      <translation>每年</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>Per hour up</source>
      <translation>每可用小時</translation>
    </message>
    <message>
      <location filename="drawing/plots/ownership.py" />
      <source>Together</source>
      <translation>合計</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_gain.py" />
      <source>without FP8</source>
      <translation>不用 FP8</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_gain.py" />
      <source>FP8 allowed</source>
      <translation>允許 FP8</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_gain.py" />
      <source>published pairs</source>
      <translation>公開的成對結果</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_gain.py" />
      <source>BF16 peaks {ratio}</source>
      <translation>BF16 峰值 {ratio}</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_gain.py" />
      <source>bandwidths {ratio}</source>
      <translation>頻寬 {ratio}</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_gain.py" />
      <source>How many times faster the second accelerator is in each phase. Thin lines span what its peak compute and its memory bandwidth alone would give; marks of published results stand beside the prediction.</source>
      <translation>第二個加速器在每個階段快多少倍。細線標出僅憑峰值運算與記憶體頻寬可得的範圍；已發布的結果標在預測旁邊。</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_gain.py" />
      <source>Comparing…</source>
      <translation>正在比較…</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_gain.py" />
      <source>Choose two accelerators.</source>
      <translation>請選擇兩款加速器。</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_gain.py" />
      <source>bound by {what}</source>
      <translation>受限於{what}</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_gain.py" />
      <source>published {span}</source>
      <translation>公開結果 {span}</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_shares.py" />
      <source>What each phase's time goes to: a bar for the whole phase, under it its longest operations. The colour is the resource that the operation waits for.</source>
      <translation>每個階段的時間用在哪裡：一個長條代表整個階段，其下是最長的運算。顏色是該運算所等待的資源。</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_shares.py" />
      <source>The selected candidate cannot run: it has no operations.</source>
      <translation>所選候選方案無法執行：沒有運算。</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_shares.py" />
      <source>Operation</source>
      <translation>運算</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_shares.py" />
      <source>Time</source>
      <translation>時間</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_shares.py" />
      <source>all</source>
      <translation>全部</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_shares.py" />
      <source>Prefill, {count} tokens</source>
      <translation>預填，{count} token</translation>
    </message>
    <message>
      <location filename="drawing/plots/phase_shares.py" />
      <source>{phase} is {share} {resource}</source>
      <translation>{phase}有 {share} 是{resource}</translation>
    </message>
    <message>
      <location filename="drawing/plots/picks.py" />
      <source>Scenario “{name}”: click to go to it</source>
      <translation>情境「{name}」：按一下即可前往</translation>
    </message>
    <message>
      <location filename="drawing/plots/picks.py" />
      <source>Part of the selected candidate, {name}</source>
      <translation>所選候選方案的一部分：{name}</translation>
    </message>
    <message>
      <location filename="drawing/plots/picks.py" />
      <source>{name}: the selected candidate</source>
      <translation>{name}：所選的候選方案</translation>
    </message>
    <message>
      <location filename="drawing/plots/picks.py" />
      <source>{part} of {name}: click to select it</source>
      <translation>{name} 的「{part}」：按一下即可選取</translation>
    </message>
    <message>
      <location filename="drawing/plots/picks.py" />
      <source>{name}: click to select it</source>
      <translation>{name}：按一下即可選取</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Forward</source>
      <translation>前向</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Backward</source>
      <translation>反向</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Recompute</source>
      <translation>重新計算</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Backward, weights</source>
      <translation>反向，權重</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Bubble</source>
      <translation>氣泡</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>One training step over the stages of the pipeline. Each block is the forward or backward pass of a micro-batch; the gaps are the bubble, in which a stage waits.</source>
      <translation>一個訓練步驟在各管線階段上的情形。每個方塊是一個微批次的前向或反向傳遞；空隙是氣泡，該階段在其中等待。</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Working out the timeline of a step…</source>
      <translation>正在計算單步的時間軸…</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>The selected candidate cannot run: it has no step.</source>
      <translation>所選候選方案無法執行：沒有步驟。</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>No pipeline, so no bubble: each copy runs {count} micro-batches in a step</source>
      <translation>沒有管線，因此沒有氣泡：每個副本在一步中執行 {count} 個微批次</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>No pipeline, so no bubble: each copy runs one micro-batch in a step</source>
      <translation>沒有管線，因此沒有氣泡：每個副本在一步中執行一個微批次</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>{schedule} over {stages} stages: the bubble takes {bubble} of the step</source>
      <translation>{stages} 個階段的 {schedule}：氣泡佔單步的 {bubble}</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>; {drawn} of {count} micro-batches drawn</source>
      <translation>；{count} 個微批次中畫出 {drawn} 個</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Stage {number}</source>
      <translation>階段 {number}</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>micro-batch {number}</source>
      <translation>微批次 {number}</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>chunk {number}</source>
      <translation>區塊 {number}</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>waits</source>
      <translation>等待</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Stage</source>
      <translation>階段</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Pass</source>
      <translation>傳遞</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Micro-batch</source>
      <translation>微批次</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Chunk</source>
      <translation>區塊</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>From</source>
      <translation>從</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Until</source>
      <translation>至</translation>
    </message>
    <message>
      <location filename="drawing/plots/ranking.py" />
      <source>Scenarios by your weights, the best on top. Each colour is how much one criterion adds to the score; the weights stand above the table.</source>
      <translation>依您的權重排列的情境，最佳者在最上方。每種顏色是一項準則對分數的貢獻；權重在表格上方。</translation>
    </message>
    <message>
      <location filename="drawing/plots/ranking.py" />
      <source>{name} ranks first; it costs less than {other} in {share} of the samples</source>
      <translation>{name} 排名第一；在 {share} 的樣本中成本低於 {other}</translation>
    </message>
    <message>
      <location filename="drawing/plots/ranking.py" />
      <source>Scenario</source>
      <translation>情境</translation>
    </message>
    <message>
      <location filename="drawing/plots/ranking.py" />
      <source>Score</source>
      <translation>評分</translation>
    </message>
    <message>
      <location filename="drawing/plots/residuals.py" />
      <source>Measured time against predicted</source>
      <translation>量測時間與預測時間之比</translation>
    </message>
    <message>
      <location filename="drawing/plots/residuals.py" />
      <source>as shipped</source>
      <translation>隨附校準</translation>
    </message>
    <message>
      <location filename="drawing/plots/residuals.py" />
      <source>by the other measurements</source>
      <translation>依其他量測</translation>
    </message>
    <message>
      <location filename="drawing/plots/residuals.py" />
      <source>stands apart</source>
      <translation>離群</translation>
    </message>
    <message>
      <location filename="drawing/plots/residuals.py" />
      <source>Measured over predicted time, case by case: at 100 % the prediction was right, above it the machine was slower. Hollow marks are predictions as shipped, filled ones with your other measurements. The band is where four of five cases should lie.</source>
      <translation>逐案顯示實測時間與預測時間之比：100 % 表示預測正確，高於此值表示機器較慢。空心標記是出廠的預測，實心標記採用您的其他量測。色帶是五個案例中應有四個落入的範圍。</translation>
    </message>
    <message>
      <location filename="drawing/plots/residuals.py" />
      <source>Measured cases appear here beside their predictions.</source>
      <translation>量測案例會連同預測值顯示在這裡。</translation>
    </message>
    <message>
      <location filename="drawing/plots/residuals.py" />
      <source>{case}: {quantity}, {before} of the prediction as shipped, {after} with the others</source>
      <translation>{case}：{quantity}，隨附校準時為預測的 {before}，納入其他量測後為 {after}</translation>
    </message>
    <message>
      <location filename="drawing/plots/residuals.py" />
      <source>As shipped</source>
      <translation>隨附校準</translation>
    </message>
    <message>
      <location filename="drawing/plots/residuals.py" />
      <source>Stands apart</source>
      <translation>離群</translation>
    </message>
    <message>
      <location filename="drawing/plots/residuals.py" />
      <source>Measured times are as predicted in the middle</source>
      <translation>量測時間的中位數與預測相符</translation>
    </message>
    <message>
      <location filename="drawing/plots/residuals.py" />
      <source>Measured {off} slower than shipped, in the middle</source>
      <translation>量測值的中位數比隨附校準慢 {off}</translation>
    </message>
    <message>
      <location filename="drawing/plots/residuals.py" />
      <source>Measured {off} faster than shipped, in the middle</source>
      <translation>量測值的中位數比隨附校準快 {off}</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>Train: {name}</source>
      <translation>訓練：{name}</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>Serve: {name}</source>
      <translation>服務：{name}</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>Which resources training and serving use of the time that you pay for. The same colours far apart in length mean that one kind of device hardly suits both.</source>
      <translation>訓練與服務在所付時間中使用哪些資源。相同顏色的長度相差很大，表示同一種裝置很難同時適合兩者。</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>training pays for {resource} ({share})</source>
      <translation>訓練的花費主要在{resource} ({share})</translation>
    </message>
    <message>
      <location filename="drawing/plots/cost.py" />
      <source>serving pays for {resource} ({share})</source>
      <translation>推論服務的花費主要在{resource} ({share})</translation>
    </message>
    <message>
      <location filename="drawing/plots/rival_marks.py" />
      <source>other candidates</source>
      <translation>其他候選方案</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline.py" />
      <source>FLOP per byte of memory traffic</source>
      <translation>每位元組記憶體流量的 FLOP</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline.py" />
      <source>FLOP/s</source>
      <translation>FLOP/s</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline.py" />
      <source>measured ceiling</source>
      <translation>實測上限</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline.py" />
      <source>{name} {stated}, measured {reached}</source>
      <translation>{name} {stated}，實測 {reached}</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline.py" />
      <source>ceiling as measured on {name}</source>
      <translation>上限依 {name} 的實測</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline.py" />
      <source>What the device allows at best. Left, under the slope, memory bandwidth limits; right, under the level line, compute does. Each point is a phase or an operation: the further below the ceiling, the less of the device it uses. Hollow marks are other devices.</source>
      <translation>裝置所容許的上限。左側斜線下受記憶體頻寬限制；右側水平線下受運算限制。每個點是一個階段或運算：離上限越遠，用到的裝置能力越少。空心標記是其他裝置。</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline.py" />
      <source>Waiting for the roofline of the selected candidate.</source>
      <translation>正在等候所選候選方案的 Roofline。</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline.py" />
      <source>No peak rate is known for this device.</source>
      <translation>此裝置的峰值速率不明。</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>{phase} by {resource}</source>
      <translation>{phase}受限於{resource}</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>{name}: no point of the workload is known</source>
      <translation>{name}：沒有已知的工作負載點</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>{name}: bound by {resource}</source>
      <translation>{name}：受限於{resource}</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>{name}: {parts}</source>
      <translation>{name}：{parts}</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>Prefill of {count} tokens</source>
      <translation>{count} token 的預填</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>{work}: {share} of the time is {resource}</source>
      <translation>{work}：{share} 的時間是{resource}</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>{one}; {other}</source>
      <translation>{one}；{other}</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>{reached} of at most {ceiling}</source>
      <translation>{reached}，最多 {ceiling}</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>{name} in {precision}</source>
      <translation>{name}，{precision}</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>{share} of its phase</source>
      <translation>佔其階段的 {share}</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>limit {resource}</source>
      <translation>瓶頸為{resource}</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>Intensity</source>
      <translation>運算強度</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>Achieved</source>
      <translation>達成值</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>Compute</source>
      <translation>運算</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>Interconnect</source>
      <translation>互連</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>Host and launch</source>
      <translation>主機與啟動</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>Share of the phase</source>
      <translation>佔階段的比例</translation>
    </message>
    <message>
      <location filename="drawing/plots/roofline_words.py" />
      <source>Limit</source>
      <translation>瓶頸</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling.py" />
      <source>Run time</source>
      <translation>訓練時間</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling.py" />
      <source>How long the training run takes by the number of devices; each point is the fastest layout of that size. Points under the line of the deadline are in time.</source>
      <translation>訓練所需時間依裝置數量而定；每個點是該規模下最快的配置。低於期限線的點來得及。</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling.py" />
      <source>The selected candidate cannot run.</source>
      <translation>所選候選方案無法執行。</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling.py" />
      <source>fastest layout of each size</source>
      <translation>各規模最快的配置</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling.py" />
      <source>deadline {time}</source>
      <translation>期限 {time}</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling.py" />
      <source>{devices} devices finish in {time}</source>
      <translation>{devices} 個裝置於 {time} 內完成</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling.py" />
      <source>{devices} devices finish in {time}; the deadline is {deadline}</source>
      <translation>{devices} 個裝置於 {time} 內完成；期限為 {deadline}</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling.py" />
      <source>{devices} devices take {time}: longer than the deadline of {deadline}</source>
      <translation>{devices} 個裝置需 {time}：超過 {deadline} 的期限</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling.py" />
      <source>MFU {share}</source>
      <translation>MFU {share}</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling.py" />
      <source>MFU</source>
      <translation>MFU</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling_curve.py" />
      <source>devices of the candidate</source>
      <translation>候選方案的裝置數</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling_curve.py" />
      <source>The training run on one device to a hundred thousand. Beyond the knee, more devices gain little. The dotted upright line is the candidate that you look at.</source>
      <translation>在一個到十萬個裝置上進行訓練。過了轉折點，增加裝置的效益很小。直立點線是您正在查看的候選方案。</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling_curve.py" />
      <source>Working out runs on up to 100 000 devices…</source>
      <translation>正在計算至多 100 000 個裝置的訓練…</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling_curve.py" />
      <source>On no number of these devices can the run be held in memory.</source>
      <translation>無論用幾個這款裝置，記憶體都放不下這次訓練。</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling_curve.py" />
      <source>knee: {devices}</source>
      <translation>轉折點：{devices}</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling_curve.py" />
      <source>More than {devices} devices gain little: there the run takes {time}</source>
      <translation>超過 {devices} 個裝置後增益有限：此時訓練需 {time}</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling_curve.py" />
      <source>At {devices} devices each does {share} of what it could; {exchange} of a step is exchange</source>
      <translation>使用 {devices} 個裝置時，每個裝置發揮 {share} 的能力；單步有 {exchange} 用於交換</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling_curve.py" />
      <source>Beyond {devices} devices the run still gets cheaper</source>
      <translation>超過 {devices} 個裝置後訓練成本仍繼續降低</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling_curve.py" />
      <source>Beyond {devices} devices a day saved costs {cost}</source>
      <translation>超過 {devices} 個裝置後，每節省一天的成本為 {cost}</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling_curve.py" />
      <source>No price is known for this device</source>
      <translation>此裝置沒有已知價格</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling_curve.py" />
      <source>Beyond {devices} devices no day is saved</source>
      <translation>超過 {devices} 個裝置後不再節省天數</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling_curve.py" />
      <source>{count} devices</source>
      <translation>{count} 個裝置</translation>
    </message>
    <message>
      <location filename="drawing/plots/scaling_curve.py" />
      <source>cannot run</source>
      <translation>無法執行</translation>
    </message>
    <message>
      <location filename="drawing/plots/shared_fleet.py" />
      <source>a training run</source>
      <translation>一次訓練</translation>
    </message>
    <message>
      <location filename="drawing/plots/shared_fleet.py" />
      <source>a month of service</source>
      <translation>一個月的服務</translation>
    </message>
    <message>
      <location filename="drawing/plots/shared_fleet.py" />
      <source>What a training run and a month of service cost, each on the device that suits it best and both on the same one. Grey is paid for and not used.</source>
      <translation>一次訓練與一個月服務的成本：各自使用最適合的裝置，以及兩者使用同一種裝置。灰色為已付費但未使用。</translation>
    </message>
    <message>
      <location filename="drawing/plots/shared_fleet.py" />
      <source>Both a training job and a serving load with known prices are needed to compare fleets.</source>
      <translation>要比較機群，訓練工作與服務負載都必須有已知價格。</translation>
    </message>
    <message>
      <location filename="drawing/plots/shared_fleet.py" />
      <source>Both on {device}</source>
      <translation>兩者皆用 {device}</translation>
    </message>
    <message>
      <location filename="drawing/plots/shared_fleet.py" />
      <source>{device} is the choice for both</source>
      <translation>{device} 是兩者的共同首選</translation>
    </message>
    <message>
      <location filename="drawing/plots/shared_fleet.py" />
      <source>One fleet of {device} costs no more than two</source>
      <translation>共用一個 {device} 機群，成本不高於兩個機群</translation>
    </message>
    <message>
      <location filename="drawing/plots/shared_fleet.py" />
      <source>One fleet of {device} for both costs {more} more than the best for each</source>
      <translation>兩者共用一個 {device} 機群，比各自採用最佳方案多花 {more}</translation>
    </message>
    <message>
      <location filename="drawing/plots/shared_fleet.py" />
      <source>Train: {training}, {run} · serve: {serving}, {month}</source>
      <translation>訓練：{training}，{run} · 服務：{serving}，{month}</translation>
    </message>
    <message>
      <location filename="drawing/plots/shared_fleet.py" />
      <source>Trains on</source>
      <translation>訓練使用</translation>
    </message>
    <message>
      <location filename="drawing/plots/shared_fleet.py" />
      <source>Serves on</source>
      <translation>服務使用</translation>
    </message>
    <message>
      <location filename="drawing/plots/shared_fleet.py" />
      <source>Training run</source>
      <translation>一次訓練</translation>
    </message>
    <message>
      <location filename="drawing/plots/shared_fleet.py" />
      <source>Month of service</source>
      <translation>一個月的服務</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>What fills the memory of a device in each stage of the pipeline. The mark across each bar is how much the device has.</source>
      <translation>各管線階段中裝置的記憶體由什麼佔用。橫跨長條的標記是裝置的容量。</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>Working out the memory of each stage…</source>
      <translation>正在計算各階段的記憶體…</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>A device</source>
      <translation>單一裝置</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>{where} lacks {missing}: it needs {used} of {capacity}</source>
      <translation>{where}缺 {missing}：需要 {used}，容量只有 {capacity}</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>{where}: {used} ({low} to {high}) of {capacity} taken, {reserved} reserved, {allocated} allocated</source>
      <translation>{where}：{capacity} 中佔用 {used}（{low} 至 {high}），保留 {reserved}，配置 {allocated}</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>{count} micro-batches in flight</source>
      <translation>{count} 個微批次進行中</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>allocated {size}</source>
      <translation>已配置 {size}</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>reserved {size}</source>
      <translation>已保留 {size}</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>Layers</source>
      <translation>層數</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>In flight</source>
      <translation>進行中</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>Allocated</source>
      <translation>已配置</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>Reserved</source>
      <translation>已保留</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>Taken</source>
      <translation>已佔用</translation>
    </message>
    <message>
      <location filename="drawing/plots/memory.py" />
      <source>Every device</source>
      <translation>每個裝置</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>What a training step consists of, from left to right: each row begins where the one above ends. What runs hidden behind other work takes no time of its own.</source>
      <translation>一個訓練步驟由什麼組成，由左至右：每一列從上一列結束處開始。隱藏在其他工作背後的部分不另佔時間。</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Working out the step of the selected candidate…</source>
      <translation>正在計算所選候選方案的單步…</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>{time} a step: {share} forward and backward, {its} {what}</source>
      <translation>每步 {time}：前向與反向佔 {share}，{what}佔 {its}</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Share</source>
      <translation>佔比</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_phases.py" />
      <source>Step</source>
      <translation>單步</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_time.py" />
      <source>Where the time of one step goes, by resource: of the candidate that you look at, and of the best of other devices.</source>
      <translation>一個步驟的時間依資源用在哪裡：您正在查看的候選方案，以及其他裝置中的最佳者。</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_time.py" />
      <source>waiting</source>
      <translation>等待</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_time.py" />
      <source>A decode step takes {time}, {share} of it {what}</source>
      <translation>解碼步驟需 {time}，其中 {share} 是{what}</translation>
    </message>
    <message>
      <location filename="drawing/plots/step_time.py" />
      <source>A training step takes {time}, {share} of it {what}</source>
      <translation>訓練步驟需 {time}，其中 {share} 是{what}</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>A training job and a serving load with known prices are needed to weigh one fleet against two.</source>
      <translation>要比較一個機群與兩個機群，訓練工作與服務負載都必須有已知價格。</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>Weighing fleets…</source>
      <translation>正在評估機群…</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>for both</source>
      <translation>兩者共用</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>training fleet</source>
      <translation>訓練機群</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>serving fleet</source>
      <translation>服務機群</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>What each way to cover both workloads costs over the horizon: one shared fleet, two fleets, or bursts that are rented. Colours are fleets; the shortest bar is the cheapest.</source>
      <translation>以各種方式滿足兩種工作負載在規劃期間的成本：一個共用機群、兩個機群，或短期租用。顏色代表機群；最短的長條最便宜。</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>Strategy</source>
      <translation>策略</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>Fleet</source>
      <translation>機群</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>Device</source>
      <translation>裝置</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>Of that, devices</source>
      <translation>其中裝置</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>Storage</source>
      <translation>儲存</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>Egress</source>
      <translation>資料外傳</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>Unused</source>
      <translation>未使用</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>Hours in use</source>
      <translation>使用時數</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>used, in the resource's colour</source>
      <translation>已使用，以資源的顏色表示</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>paid for, not used</source>
      <translation>已付費但未使用</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>What a fleet pays for each of the five resources, and in colour the part that does work. Long grey bars are money for what the workload does not use.</source>
      <translation>機群為五種資源各付多少，有顏色的部分是實際工作的部分。長的灰色部分是為工作負載用不到的東西所付的錢。</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>{paid}, {share} used</source>
      <translation>{paid}，使用 {share}</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>{device}: {resource} costs {paid}, {used} of it used</source>
      <translation>{device}：{resource}花費 {paid}，其中 {used} 有使用</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>Resource</source>
      <translation>資源</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>Paid</source>
      <translation>已付費</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>Share used</source>
      <translation>使用比例</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>Sequence length</source>
      <translation>序列長度</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>state</source>
      <translation>狀態</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>activations, logits, buffers</source>
      <translation>活化值、logits、緩衝區</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>as planned</source>
      <translation>依規劃</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>How the memory of a device fills as sequences or micro-batches grow. Where the areas reach the level line, nothing more fits; upright lines are the plan and the largest that fits.</source>
      <translation>隨著序列或微批次變大，裝置的記憶體如何被填滿。區域到達水平線時就再也放不下；直線是計畫值與放得下的最大值。</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>Trying how far the memory goes…</source>
      <translation>正在試記憶體能用到多遠…</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>This model has no sequences of tokens.</source>
      <translation>此模型沒有 token 序列。</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>{size} of a device</source>
      <translation>每個裝置 {size}</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>largest: {value}</source>
      <translation>最大：{value}</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>Not even the smallest fits: the state alone takes {state}</source>
      <translation>最小的也放不下：光是狀態就要 {state}</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>Sequences of up to {largest} tokens fit with this layout</source>
      <translation>此配置可放至多 {largest} token 的序列</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>Only a micro-batch of 1 fits with this layout</source>
      <translation>此配置只放得下大小為 1 的微批次</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>Micro-batches of up to {largest} fit; {best} is fastest</source>
      <translation>微批次最大可放 {largest}；{best} 最快</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>state {size}</source>
      <translation>狀態 {size}</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>activations {size}</source>
      <translation>活化值 {size}</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>in all {size}</source>
      <translation>合計 {size}</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>per device</source>
      <translation>每個裝置</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>does not fit</source>
      <translation>放不下</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>State</source>
      <translation>狀態</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>Activations and logits</source>
      <translation>活化值與 logits</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>Fits</source>
      <translation>放得下</translation>
    </message>
    <message>
      <location filename="drawing/plots/sweep.py" />
      <source>Tokens/s/device</source>
      <translation>每裝置 token/s</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>held all the time</source>
      <translation>全程持有</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>rented by the hour</source>
      <translation>按時租用</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>training window</source>
      <translation>訓練時段</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>When each fleet is held over the horizon, the cheapest strategy on top. The thicker a bar, the more devices.</source>
      <translation>各機群在規劃期間何時持有，最便宜的策略在最上方。長條越粗，裝置越多。</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>{strategy} over {horizon}</source>
      <translation>{strategy}，為期 {horizon}</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>{count} training runs hold devices for {held} each; the service opens after {opens}</source>
      <translation>{count} 次訓練各佔用裝置 {held}；服務於 {opens} 後上線</translation>
    </message>
    <message>
      <location filename="drawing/plots/strategies.py" />
      <source>{count} × {device}, {usd}, until {end}</source>
      <translation>{count} × {device}，{usd}，至 {end}</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>No candidate meets its targets, so there is nothing to be sure of.</source>
      <translation>沒有候選方案符合目標，因此沒有可確定的結果。</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>Sampling…</source>
      <translation>正在抽樣…</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>P10 to P90</source>
      <translation>P10 至 P90</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>P50</source>
      <translation>P50</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>target, budget or date</source>
      <translation>目標、預算或日期</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>How far the results may come out otherwise, as shares of the plan: eight of ten samples lie in the band. The dashed mark is a target, budget or date.</source>
      <translation>結果可能偏離多少，以計畫值的比例表示：十個樣本中有八個落在色帶內。虛線標記是目標、預算或日期。</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>Headline results as shares of the plan, {count} samples</source>
      <translation>主要結果相對於規劃值，{count} 個樣本</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>{name}: {band}, planned {planned}; inputs cause {share} of the spread, the model the rest</source>
      <translation>{name}：{band}，規劃值 {planned}；{share} 的離散來自輸入，其餘來自模型</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>Result</source>
      <translation>結果</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>Planned</source>
      <translation>規劃</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>From inputs</source>
      <translation>來自輸入</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>input at its P90</source>
      <translation>輸入位於 P90</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>at its P10</source>
      <translation>位於 P10</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>What each uncertain input does to the result, the strongest on top: one end is where the input is low (P10), the other where it is high (P90).</source>
      <translation>每項不確定的輸入對結果的影響，最強者在最上方：一端是輸入偏低（P10），另一端是輸入偏高（P90）。</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>Nothing uncertain moves this result.</source>
      <translation>沒有不確定的因素影響此結果。</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>{result}: {name} moves it most, {low} to {high}</source>
      <translation>{result}：{name}影響最大，{low} 至 {high}</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>not reached</source>
      <translation>未達到</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>P10</source>
      <translation>P10</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>P90</source>
      <translation>P90</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>Input</source>
      <translation>輸入</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>Result at P10</source>
      <translation>P10 時的結果</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>Result at P90</source>
      <translation>P90 時的結果</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>{share} of plan</source>
      <translation>規劃值的 {share}</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>The cost of the recommended candidate beside the best of other devices, over the same samples: eight of ten lie in the band. Bands that overlap leave the choice open.</source>
      <translation>建議的候選方案與其他裝置最佳者的成本，採用相同樣本：十個中有八個落在色帶內。色帶重疊表示選擇尚無定論。</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source> cheapest in {share}</source>
      <translation> 最便宜的機率 {share}</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>{name} is the cheapest in {share} of the samples</source>
      <translation>{name} 在 {share} 的樣本中最便宜</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>{text}; {other} beats it in {share}</source>
      <translation>{text}；{other} 在 {share} 的樣本中勝過它</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>{text}; beats the recommended in {share}</source>
      <translation>{text}；在 {share} 的樣本中勝過推薦方案</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>Cheapest</source>
      <translation>最便宜</translation>
    </message>
    <message>
      <location filename="drawing/plots/uncertainty.py" />
      <source>Beats the recommended</source>
      <translation>勝過推薦方案</translation>
    </message>
    <message>
      <location filename="drawing/details.py" />
      <source>data sheet</source>
      <translation>規格表</translation>
    </message>
    <message>
      <location filename="drawing/details.py" />
      <source>reported</source>
      <translation>回報</translation>
    </message>
    <message>
      <location filename="drawing/details.py" />
      <source>estimated</source>
      <translation>估計</translation>
    </message>
    <message>
      <location filename="drawing/details.py" />
      <source>own entry</source>
      <translation>自有項目</translation>
    </message>
    <message>
      <location filename="drawing/report/build.py" />
      <source>About the figures</source>
      <translation>關於這些數字</translation>
    </message>
    <message>
      <location filename="drawing/report/build.py" />
      <source>What each figure means.</source>
      <translation>各數字的意義。</translation>
    </message>
    <message>
      <location filename="drawing/report/build.py" />
      <source>GPU plan</source>
      <translation>GPU 方案</translation>
    </message>
    <message>
      <location filename="drawing/report/build.py" />
      <source>Notes</source>
      <translation>備註</translation>
    </message>
    <message>
      <location filename="drawing/report/build.py" />
      <source>Plots</source>
      <translation>圖表</translation>
    </message>
    <message>
      <location filename="drawing/report/build.py" />
      <source>GPU Planner {version}</source>
      <translation>GPU Planner {version}</translation>
    </message>
    <message>
      <location filename="drawing/report/build.py" />
      <source>written {day}</source>
      <translation>撰寫於 {day}</translation>
    </message>
    <message>
      <location filename="drawing/report/build.py" />
      <source>seed {seed}</source>
      <translation>種子 {seed}</translation>
    </message>
    <message>
      <location filename="drawing/report/build.py" />
      <source>calibration {digest}</source>
      <translation>校準 {digest}</translation>
    </message>
    <message>
      <location filename="drawing/report/build.py" />
      <source>catalogue {digest}</source>
      <translation>型錄 {digest}</translation>
    </message>
    <message>
      <location filename="drawing/report/build.py" />
      <source>catalogue figures from {first} to {last}</source>
      <translation>型錄數字日期 {first} 至 {last}</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Cost of the service</source>
      <translation>服務的成本</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Cost of training</source>
      <translation>訓練的成本</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Owning, serving</source>
      <translation>自有，推論服務</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Owning, training</source>
      <translation>自有，訓練</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Replicas, spares included</source>
      <translation>副本數（含備援）</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Devices per replica</source>
      <translation>每個副本的裝置數</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Price of a device</source>
      <translation>每個裝置的價格</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Fleet, an hour</source>
      <translation>機群，每小時</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Fleet, a month</source>
      <translation>機群，每月</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Fleet, a year</source>
      <translation>機群，每年</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Requests at the peak</source>
      <translation>尖峰請求數</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Mean over peak</source>
      <translation>平均與尖峰之比</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>A request</source>
      <translation>每個請求</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Tokens of an answer</source>
      <translation>每個回答的 token 數</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>A million output tokens</source>
      <translation>每百萬輸出 token</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Data held</source>
      <translation>保有的資料</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Months of it</source>
      <translation>保有月數</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Data moved out</source>
      <translation>移出的資料</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Storage and egress</source>
      <translation>儲存與資料外傳</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Support, share of the bill</source>
      <translation>支援，佔帳款的比例</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Device-hours, retries and experiments included</source>
      <translation>裝置小時（含重試與實驗）</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Tokens trained</source>
      <translation>訓練的 token 數</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>A million tokens trained</source>
      <translation>訓練每百萬 token</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Device with its share of the server</source>
      <translation>裝置及其分攤的伺服器</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Discount</source>
      <translation>折扣</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Network</source>
      <translation>網路</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Installation, share of the rest</source>
      <translation>安裝，佔其餘的比例</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Useful life</source>
      <translation>使用年限</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Residual value</source>
      <translation>殘值</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Cost of capital</source>
      <translation>資金成本</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Rated power of a device</source>
      <translation>單一裝置額定功率</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Switches and storage, share of power</source>
      <translation>交換器與儲存，佔功率的比例</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Power drawn</source>
      <translation>耗用功率</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>PUE</source>
      <translation>PUE</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Electricity</source>
      <translation>電費</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Colocation</source>
      <translation>主機代管</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Hardware support, share of capital</source>
      <translation>硬體支援，佔資本的比例</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Staff</source>
      <translation>人力</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Insurance and tax, share of capital</source>
      <translation>保險與稅，佔資本的比例</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Availability</source>
      <translation>可用率</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Break-even use against it</source>
      <translation>與其相比的損益兩平使用率</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Device and server after discount</source>
      <translation>折扣後的裝置與伺服器</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Installation</source>
      <translation>安裝</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Capital of a device</source>
      <translation>單一裝置的資本</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Capital of the fleet</source>
      <translation>機群的資本</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>{part}, a year</source>
      <translation>{part}，每年</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>Owning a device, a year</source>
      <translation>自有一個裝置，每年</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>An hour, used or not</source>
      <translation>每小時，不論是否使用</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>An hour in which it is up</source>
      <translation>每個可用的小時</translation>
    </message>
    <message>
      <location filename="drawing/report/cost_sheet.py" />
      <source>An hour of work</source>
      <translation>每個工作的小時</translation>
    </message>
    <message>
      <location filename="drawing/report/deploy.py" />
      <source>Deploy: {workload}</source>
      <translation>部署：{workload}</translation>
    </message>
    <message>
      <location filename="drawing/report/deploy.py" />
      <source>{name}: settings without a flag</source>
      <translation>{name}：沒有對應參數的設定</translation>
    </message>
    <message>
      <location filename="drawing/report/deploy.py" />
      <source>Setting</source>
      <translation>設定</translation>
    </message>
    <message>
      <location filename="drawing/report/deploy.py" />
      <source>How</source>
      <translation>方式</translation>
    </message>
    <message>
      <location filename="drawing/report/deploy.py" />
      <source>Flags as of {date}: {sources}</source>
      <translation>參數以 {date} 為準：{sources}</translation>
    </message>
    <message>
      <location filename="drawing/report/html.py" />
      <source>Item</source>
      <translation>項目</translation>
    </message>
    <message>
      <location filename="drawing/report/html.py" />
      <source>Follows from</source>
      <translation>得自</translation>
    </message>
    <message>
      <location filename="drawing/report/html.py" />
      <source>default</source>
      <translation>預設值</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>{workload}: rent or buy</source>
      <translation>{workload}：租或買</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>One fleet or two</source>
      <translation>一個機群或兩個</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Cost sheet</source>
      <translation>成本表</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Gives</source>
      <translation>得出</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>To</source>
      <translation>變為</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>{samples} samples, seed {seed}; the other inputs at their medians.</source>
      <translation>{samples} 個樣本，種子 {seed}；其他輸入取中位數。</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>What moves the results most</source>
      <translation>對結果影響最大的因素</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>How sure</source>
      <translation>確定程度</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>What a unit of work costs</source>
      <translation>單位工作的成本</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Unit</source>
      <translation>單位</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>What makes the run cheaper</source>
      <translation>可降低訓練成本的措施</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Lever</source>
      <translation>措施</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Saves alone</source>
      <translation>單獨節省</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Saves in turn</source>
      <translation>依序節省</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Fleet over the horizon, present value</source>
      <translation>規劃期間的機群，現值</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Owning pays above use of</source>
      <translation>使用率高於此值時自有划算</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Terms</source>
      <translation>採購方式</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Owning one device, a year</source>
      <translation>自有一個裝置，每年</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Way</source>
      <translation>方式</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>On</source>
      <translation>裝置</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Cost over the horizon, undiscounted</source>
      <translation>規劃期間成本（未折現）</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Paid for and not used</source>
      <translation>已付費但未使用</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Ways to cover both workloads</source>
      <translation>涵蓋兩種工作負載的方式</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Workload</source>
      <translation>工作負載</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>At home on</source>
      <translation>原用裝置</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Instead on</source>
      <translation>改用裝置</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Times slower</source>
      <translation>慢幾倍</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Cost at home</source>
      <translation>原用成本</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>Instead</source>
      <translation>改用成本</translation>
    </message>
    <message>
      <location filename="drawing/report/money.py" />
      <source>On the other's devices</source>
      <translation>改用對方的裝置</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Watch</source>
      <translation>監控項目</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>As planned</source>
      <translation>規劃值</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Look at</source>
      <translation>留意門檻</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Act at</source>
      <translation>行動門檻</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Then</source>
      <translation>因應</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Service</source>
      <translation>服務</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Thresholds are the targets and the 80 % bands of this plan; where measurements leave the band, plan again.</source>
      <translation>門檻是此方案的目標與 80 % 區間；量測值超出區間時請重新規劃。</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>What to monitor</source>
      <translation>要監控什麼</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Add replicas; look for long prompts and a cold prefix cache</source>
      <translation>增加副本；檢查長提示與未命中的前綴快取</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Requests per replica</source>
      <translation>每個副本的請求數</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Add replicas: targets fail beyond</source>
      <translation>增加副本：超過後達不到目標</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Requests are pushed out and computed again: fragmentation or longer prompts than planned</source>
      <translation>請求被擠出並重新計算：記憶體碎片，或提示比規劃的長</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Sequences decoded together</source>
      <translation>同時解碼的序列</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Requests wait for a place: add replicas</source>
      <translation>請求在等候空位：增加副本</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Prefix-cache hits, {name}</source>
      <translation>前綴快取命中率，{name}</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Route requests of one conversation to one replica</source>
      <translation>將同一對話的請求導向同一個副本</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Idle replicas or a falling load: release some, or plan again</source>
      <translation>副本閒置或負載下降：釋出部分副本，或重新規劃</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Warm-up of a new replica</source>
      <translation>新副本的暖機</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>The store or the image registry is slow: keep a warm spare</source>
      <translation>儲存或映像檔登錄過慢：保留一個暖備援</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Free rate while replicas start</source>
      <translation>副本啟動期間的餘裕速率</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Below it, growth comes faster than replicas: scale earlier</source>
      <translation>低於此值時，成長快於副本啟動：提早擴充</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Replicas up</source>
      <translation>可用副本數</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Fewer than this do not carry the peak: replace at once</source>
      <translation>少於此數無法承載尖峰：立即替換</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Step time</source>
      <translation>單步時間</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>A slow device or link: find the straggler; else plan again with what was measured</source>
      <translation>有裝置或連結過慢：找出拖慢者；否則以量測值重新規劃</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>See step time</source>
      <translation>見單步時間</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Waiting for communication</source>
      <translation>等待通訊</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Time all collectives per link: a slow link or the wrong topology</source>
      <translation>量測每條連結的所有集合通訊：連結過慢或拓撲錯誤</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Waiting for data</source>
      <translation>等待資料</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>More readers, more preprocessing, or a local copy</source>
      <translation>增加讀取程序、增加前處理，或使用本機複本</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Goodput</source>
      <translation>有效產出率</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>More failures or slower restarts than planned: see restart time and spares</source>
      <translation>故障比規劃多或重新啟動較慢：檢查重新啟動時間與備援</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Time since the last checkpoint</source>
      <translation>距上次檢查點的時間</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Checkpoint storage is slow or full</source>
      <translation>檢查點儲存過慢或已滿</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Money spent</source>
      <translation>已花費金額</translation>
    </message>
    <message>
      <location filename="drawing/report/monitoring.py" />
      <source>Stop at a checkpoint and decide</source>
      <translation>在檢查點停下並決定</translation>
    </message>
    <message>
      <location filename="drawing/report/page.py" />
      <source>“{suffix}” is no format of a report</source>
      <translation>「{suffix}」不是報告的格式</translation>
    </message>
    <message>
      <location filename="drawing/report/page.py" />
      <source>End its name with one of {formats}</source>
      <translation>檔名請以 {formats} 之一結尾</translation>
    </message>
    <message>
      <location filename="drawing/report/page.py" />
      <source>the report can't be written ({reason})</source>
      <translation>無法寫入報告 ({reason})</translation>
    </message>
    <message>
      <location filename="drawing/report/page.py" />
      <source>Choose another folder or name</source>
      <translation>請選擇其他資料夾或名稱</translation>
    </message>
    <message>
      <location filename="drawing/report/pdf.py" />
      <source>Page {page} of {pages}</source>
      <translation>第 {page} 頁，共 {pages} 頁</translation>
    </message>
    <message>
      <location filename="drawing/report/plain.py" />
      <source>Section</source>
      <translation>章節</translation>
    </message>
    <message>
      <location filename="drawing/report/plain.py" />
      <source>Table</source>
      <translation>表格</translation>
    </message>
    <message>
      <location filename="drawing/report/plain.py" />
      <source>Row</source>
      <translation>列</translation>
    </message>
    <message>
      <location filename="drawing/report/plain.py" />
      <source>Column</source>
      <translation>欄</translation>
    </message>
    <message>
      <location filename="drawing/report/plain.py" />
      <source>Text</source>
      <translation>文字</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Both</source>
      <translation>兩者</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>note</source>
      <translation>提示</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>warning</source>
      <translation>警告</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>serious</source>
      <translation>嚴重</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Weight</source>
      <translation>比重</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Of</source>
      <translation>對象</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Finding</source>
      <translation>評析</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>What may be done</source>
      <translation>可採取的措施</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>At stake</source>
      <translation>涉及金額</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Findings</source>
      <translation>評析</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Still open</source>
      <translation>未決</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Risk</source>
      <translation>風險</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Action before it goes live</source>
      <translation>上線前的行動</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Measure</source>
      <translation>衡量標準</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Open risks and actions</source>
      <translation>未決風險與行動</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Quality of {model} in {precision} is not known; its checkpoint is {stored}</source>
      <translation>{model} 以 {precision} 執行的品質不明；其檢查點為 {stored}</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Validate accuracy on your own tasks against the original, calibrate the scales, watch for drift</source>
      <translation>以您自己的任務對照原模型驗證準確度、校準縮放係數，並留意漂移</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>loss of task accuracy; agree on a limit first</source>
      <translation>任務準確度的損失；先商定容許限度</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Quality with a {precision} KV cache is not known</source>
      <translation>採用 {precision} KV 快取的品質不明</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Validate long contexts and reasoning tasks with and without it</source>
      <translation>以長上下文與推理任務驗證使用與不使用時的差別</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>specification only</source>
      <translation>僅規格</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>measurements of its kind</source>
      <translation>同類裝置的量測</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>{workload} on {name} is predicted from {known}</source>
      <translation>{name} 上的{workload}是根據{known}預測</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Rent one replica for a day, measure, and bring the results into the project</source>
      <translation>租一個副本一天進行量測，並將結果匯入專案</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Run a hundred steps at this layout, and bring the log into the project</source>
      <translation>以此配置執行一百步，並將記錄檔匯入專案</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>{middle}, 80 % within {low} to {high}</source>
      <translation>{middle}，80 % 落在 {low} 至 {high}</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>{name} in {share} of the samples only</source>
      <translation>{name}只在 {share} 的樣本中成立</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Widen target, date or budget, or add capacity</source>
      <translation>放寬目標、日期或預算，或增加容量</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>{name} decides between devices and is a guess</source>
      <translation>{name}會左右裝置的選擇，卻只是估計</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Find it out before the order</source>
      <translation>下單前先查明</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>A change of model, engine or driver changes every figure here</source>
      <translation>更換模型、引擎或驅動程式會改變此處所有數字</translation>
    </message>
    <message>
      <location filename="drawing/report/risks.py" />
      <source>Keep a load test with these lengths and targets; run it before each release</source>
      <translation>保留一個採用這些長度與目標的負載測試，每次發行前執行</translation>
    </message>
    <message>
      <location filename="drawing/report/schedule.py" />
      <source>Dates count from {day}, taken as the day on which the devices can be used.</source>
      <translation>日期自 {day} 起算，視為裝置可用之日。</translation>
    </message>
    <message>
      <location filename="drawing/report/schedule.py" />
      <source>Fleets hold whole nodes, with which a run may take less time than planned; the devices of a fleet that follows the load are the mean.</source>
      <translation>機群以整節點持有，因此訓練可能比計畫更快完成；隨負載調整的機群，其裝置數為平均值。</translation>
    </message>
    <message>
      <location filename="drawing/report/schedule.py" />
      <source>What</source>
      <translation>內容</translation>
    </message>
    <message>
      <location filename="drawing/report/schedule.py" />
      <source>Plan with dates</source>
      <translation>附日期的方案</translation>
    </message>
    <message>
      <location filename="drawing/report/schedule.py" />
      <source>Time for a training run</source>
      <translation>一次訓練的時段</translation>
    </message>
    <message>
      <location filename="drawing/report/schedule.py" />
      <source>Service is open</source>
      <translation>服務上線</translation>
    </message>
    <message>
      <location filename="drawing/report/schedule.py" />
      <source>committed</source>
      <translation>承諾租用</translation>
    </message>
    <message>
      <location filename="drawing/report/schedule.py" />
      <source>by the hour</source>
      <translation>按時租用</translation>
    </message>
    <message>
      <location filename="drawing/report/schedule.py" />
      <source>{strategy}: fleet for {role}, {tier}</source>
      <translation>{strategy}：{role}機群，{tier}</translation>
    </message>
    <message>
      <location filename="drawing/report/schedule.py" />
      <source>Run still within its 80 % band until here ({time})</source>
      <translation>至此訓練仍在 80 % 區間內 ({time})</translation>
    </message>
    <message>
      <location filename="drawing/report/schedule.py" />
      <source>Deadline</source>
      <translation>期限</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>{workload}: ranked candidates</source>
      <translation>{workload}：候選方案排名</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>The best candidate of each device. Below, the ranking with all layouts.</source>
      <translation>各裝置的最佳候選方案。其下為含所有配置的排名。</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>No candidate runs.</source>
      <translation>沒有可執行的候選方案。</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>{workload}: the {count} best candidates</source>
      <translation>{workload}：最佳的 {count} 個候選方案</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>Evidence</source>
      <translation>依據</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>Remark</source>
      <translation>備註</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>{workload}: {count} of {total} candidates are not recommended</source>
      <translation>{workload}：{total} 個候選方案中有 {count} 個不建議</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>Candidates</source>
      <translation>候選方案</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>Reason</source>
      <translation>原因</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>Closest</source>
      <translation>最接近者</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>Values marked “default” were not changed from what the program starts with.</source>
      <translation>標示「預設值」者未由程式初始值更改。</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>Inputs and assumptions</source>
      <translation>輸入與假設</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>undated</source>
      <translation>無日期</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>none stated</source>
      <translation>未註明</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>Price</source>
      <translation>價格</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>As of</source>
      <translation>資料日期</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>Sources</source>
      <translation>來源</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>Catalogue entries and their sources</source>
      <translation>型錄項目及其來源</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>none known</source>
      <translation>未知</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>Scenarios compared</source>
      <translation>比較的情境</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>Figures of the candidates</source>
      <translation>候選方案的各項數字</translation>
    </message>
    <message>
      <location filename="drawing/report/sections.py" />
      <source>Glossary</source>
      <translation>詞彙表</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Summary</source>
      <translation>摘要</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>{workload}: this report is about a chosen candidate, {chosen}, for {cost}. The one recommended by the ranking is {recommended}, for {other}.</source>
      <translation>{workload}：此報告的對象是選定的候選方案 {chosen}，成本 {cost}。排名所推薦的是 {recommended}，成本 {other}。</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>{sign}: in so many samples the load is more than the planned fleet can serve.</source>
      <translation>{sign}：在這麼多樣本中，負載超過計畫機群所能服務的量。</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Headline numbers</source>
      <translation>主要數字</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>TPOT mean</source>
      <translation>平均 TPOT</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Cost per month</source>
      <translation>每月成本</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Training is limited by {training_limit} and judged by its {run_time}; serving is limited by {serving_limit} and judged by {target} at {rate}: {training_fleet} for the one, {serving_fleet} for the other.</source>
      <translation>訓練受限於{training_limit}，以{run_time}評判；推論服務受限於{serving_limit}，以 {rate} 下的{target}評判：前者用 {training_fleet}，後者用 {serving_fleet}。</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>its latency</source>
      <translation>其延遲</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Serving figures hold for {model}: prompts of {prompt} and answers of {output} on average, {formats}, {batch} decoded together.</source>
      <translation>推論服務數字適用於 {model}：提示平均 {prompt}，回答平均 {output}，{formats}，同時解碼 {batch} 個。</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Training figures hold for {model}: {tokens} in sequences of {length}, {recipe}, global batch of {batch}, micro-batch {micro}.</source>
      <translation>訓練數字適用於 {model}：{tokens}，序列長度 {length}，{recipe}，全域批次 {batch}，微批次 {micro}。</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Hardware</source>
      <translation>硬體</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Judged by</source>
      <translation>評判依據</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>date and budget</source>
      <translation>日期與預算</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>latency under load, every hour</source>
      <translation>負載下的延遲，每小時</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Limited by</source>
      <translation>受限於</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Power</source>
      <translation>功率</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Weights on a device</source>
      <translation>每個裝置的權重</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Optimizer and gradients on a device</source>
      <translation>每個裝置的最佳化器與梯度</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Activations on a device</source>
      <translation>每個裝置的活化值</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>KV cache on a device</source>
      <translation>每個裝置的 KV 快取</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Time between devices</source>
      <translation>裝置間的時間</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Training and serving side by side</source>
      <translation>訓練與推論服務並列</translation>
    </message>
    <message>
      <location filename="drawing/report/summary.py" />
      <source>Two workloads</source>
      <translation>兩種工作負載</translation>
    </message>
    <message>
      <location filename="drawing/report/xlsx.py" />
      <source>Report</source>
      <translation>報告</translation>
    </message>
    <message>
      <location filename="drawing/shown_money.py" />
      <source>in dollars: Money has no exchange rate for {currency}</source>
      <translation>以美元計：「金額」中沒有 {currency} 的匯率</translation>
    </message>
    <message>
      <location filename="drawing/shown_money.py" />
      <source>Amounts in {currency}, at {rate} US dollars for one.</source>
      <translation>金額以 {currency} 表示，每單位折合 {rate} 美元。</translation>
    </message>
    <message>
      <location filename="drawing/training_rows.py" />
      <source>Efficiency</source>
      <translation>效率</translation>
    </message>
    <message>
      <location filename="drawing/training_rows.py" />
      <source>Communication and bubble</source>
      <translation>通訊與氣泡</translation>
    </message>
    <message>
      <location filename="drawing/training_rows.py" />
      <source>A day saved costs</source>
      <translation>每節省一天的成本</translation>
    </message>
    <message>
      <location filename="drawing/training_rows.py" />
      <source>{count} (knee)</source>
      <translation>{count}（轉折點）</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>80GB, 80 GiB</source>
      <translation>80GB、80 GiB</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>3.35 TB/s, 400 Gbit/s</source>
      <translation>3.35 TB/s、400 Gbit/s</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>250 ms, 1 s, 2 weeks</source>
      <translation>250 ms、1 秒、2 週</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>3, 18 months</source>
      <translation>3、18 個月</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>1024, 1.5k tok, 15T tokens</source>
      <translation>1024、1.5k token、15 兆 token</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>40, 40 req/s, 2000 per min</source>
      <translation>40、40 請求/秒、每分鐘 2000</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>$250000, 250k USD</source>
      <translation>$250000、25 萬美元</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>$2.50/h, $1800/month</source>
      <translation>$2.50/小時、$1800/月</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>989 TFLOP/s, 2 PFLOPS</source>
      <translation>989 TFLOP/s、2 PFLOPS</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>40, 40 kW, 1.2 MW</source>
      <translation>40、40 kW、1.2 MW</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>700, 0.7 kW</source>
      <translation>700、0.7 kW</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>Try {examples}; a range is 20..60, a spread 40 ±10.</source>
      <translation>請試 {examples}；範圍寫成 20..60，離散程度寫成 40 ±10。</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>Try {examples}.</source>
      <translation>請試 {examples}。</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>Try 8, 1000, 1.5k.</source>
      <translation>請試 8、1000、1.5k。</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>Nothing is typed.</source>
      <translation>尚未輸入任何內容。</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>This field holds one number, not a range.</source>
      <translation>此欄位只接受一個數字，不接受範圍。</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>This field holds a whole number.</source>
      <translation>此欄位只接受整數。</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>The ends of a range stand in rising order.</source>
      <translation>範圍的兩端須由小到大。</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>“{text}” holds no number.</source>
      <translation>「{text}」不含數字。</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>“{text}” is too large.</source>
      <translation>「{text}」太大。</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>“{number}” is not a number.</source>
      <translation>「{number}」不是數字。</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>“{words}” does not measure what this field holds.</source>
      <translation>「{words}」不是此欄位的量度單位。</translation>
    </message>
    <message>
      <location filename="drawing/typed_values.py" />
      <source>“{unit}” is no unit that is known.</source>
      <translation>「{unit}」不是已知的單位。</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>min</source>
      <translation>分鐘</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>h</source>
      <translation>小時</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>d</source>
      <translation>天</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>day</source>
      <translation>天</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>y</source>
      <translation>年</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>month</source>
      <translation>月</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>tok</source>
      <translation>token</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>Mtok</source>
      <translation>百萬 token</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>tok/s</source>
      <translation>token/s</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>param</source>
      <translation>參數</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>seq</source>
      <translation>序列</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>req</source>
      <translation>請求</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>req/s</source>
      <translation>請求/秒</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>request</source>
      <translation>請求</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>devices</source>
      <translation>個裝置</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>replicas</source>
      <translation>副本</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>cores</source>
      <translation>核心</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>experts</source>
      <translation>專家</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>/s</source>
      <translation>/秒</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>share</source>
      <translation>比例</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>{count} device</source>
      <translation>{count} 個裝置</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>{count} replica</source>
      <translation>{count} 個副本</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>{count} core</source>
      <translation>{count} 個核心</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>{count} cores</source>
      <translation>{count} 個核心</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>{count} expert</source>
      <translation>{count} 個專家</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>{count} experts</source>
      <translation>{count} 個專家</translation>
    </message>
    <message>
      <location filename="drawing/unit_words.py" />
      <source>{count} seq</source>
      <translation>{count} 個序列</translation>
    </message>
    <message>
      <location filename="drawing/units.py" />
      <source>median {median} sigma {sigma}</source>
      <translation>中位數 {median} σ {sigma}</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>The engine is {new} instead of {old}: read its release notes, or measure with the old one again.</source>
      <translation>引擎是 {new} 而非 {old}：請閱讀其版本說明，或以舊版再量一次。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>It grows with the devices: look at the links between them (a slow rail, another job, a new fabric).</source>
      <translation>偏差隨裝置數增加：請檢查裝置間的連結（緩慢的線路、其他工作、新的網路）。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>It grows with the batch: look at cache evictions, a smaller memory fraction, longer prompts.</source>
      <translation>偏差隨批次增加：請檢查快取逐出、較小的記憶體比例、較長的提示。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>It grows as steps get shorter: look at the host (busy cores, a debug build, tokenisation, logging).</source>
      <translation>偏差隨步驟縮短而增加：請檢查主機（忙碌的核心、除錯版本、token 化、記錄）。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Only one of prefill and decode is off: look at its settings (chunking, graphs, caching).</source>
      <translation>預填與解碼只有一項有偏差：請檢查其設定（分塊、graph、快取）。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>All is off alike: look at clocks, power limits and temperature, or another tenant of the machine.</source>
      <translation>全部偏差一致：請檢查時脈、功率上限與溫度，或同機的其他租戶。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>prefill</source>
      <translation>預填</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>decode</source>
      <translation>解碼</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>communication</source>
      <translation>通訊</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>copies</source>
      <translation>複製</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>kernels</source>
      <translation>核心運算</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>power</source>
      <translation>功耗</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>memory</source>
      <translation>記憶體</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>a number of requests kept running</source>
      <translation>維持固定數量的並行請求</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>requests at a rate</source>
      <translation>以固定速率送出請求</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>all requests at once</source>
      <translation>所有請求同時送出</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>one batch alone</source>
      <translation>僅單一批次</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Model as written</source>
      <translation>原文的模型名稱</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Accelerator as written</source>
      <translation>原文的加速器名稱</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Kind of device</source>
      <translation>裝置種類</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Precision</source>
      <translation>精度</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Engine</source>
      <translation>引擎</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Version</source>
      <translation>版本</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Engine as written</source>
      <translation>原始引擎名稱</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>TP</source>
      <translation>TP</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>PP</source>
      <translation>PP</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>DP</source>
      <translation>DP</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>EP</source>
      <translation>EP</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>CP</source>
      <translation>CP</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Load</source>
      <translation>負載</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Concurrency</source>
      <translation>並行數</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Request rate</source>
      <translation>請求速率</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Prompt</source>
      <translation>提示</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Answer</source>
      <translation>回答</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Depth</source>
      <translation>深度</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Requests</source>
      <translation>請求</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Global batch</source>
      <translation>全域批次</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Message</source>
      <translation>訊息</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Shape</source>
      <translation>形狀</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Duration</source>
      <translation>持續時間</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Virtualisation</source>
      <translation>虛擬化</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Measured on</source>
      <translation>量測於</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>TTFT</source>
      <translation>TTFT</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>TPOT</source>
      <translation>TPOT</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>ITL</source>
      <translation>ITL</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Tokens/s/user</source>
      <translation>每使用者 token/s</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>E2E</source>
      <translation>E2E</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Samples</source>
      <translation>樣本數</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Prompt tokens</source>
      <translation>提示 token</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Tokens</source>
      <translation>Token 數</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Training tokens</source>
      <translation>訓練 token 數</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Training samples</source>
      <translation>訓練樣本</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Model FLOP/s/device</source>
      <translation>每裝置模型 FLOP/s</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Model FLOP/s</source>
      <translation>模型 FLOP/s</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Forward pass</source>
      <translation>前向傳遞</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Backward pass</source>
      <translation>反向傳遞</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Optimizer step</source>
      <translation>最佳化器步驟</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Collective</source>
      <translation>集合通訊</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Algorithm bandwidth</source>
      <translation>演算法頻寬</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Bus bandwidth</source>
      <translation>匯流排頻寬</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Copy</source>
      <translation>複製</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Kernel time</source>
      <translation>Kernel 時間</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Share of the time</source>
      <translation>時間比例</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Compute rate</source>
      <translation>運算速率</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Energy</source>
      <translation>能耗</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Busy</source>
      <translation>忙碌</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Memory used</source>
      <translation>使用的記憶體</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{model} on {devices}{device}</source>
      <translation>{devices}{device} 上的 {model}</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{count} at once</source>
      <translation>同時 {count} 個</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{prompt} + {answer} tok</source>
      <translation>{prompt} + {answer} tok</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{batch} × {length} tok a step</source>
      <translation>每步 {batch} × {length} tok</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>counted without the {share} that virtual machines lost</source>
      <translation>已扣除虛擬機器損失的 {share}</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>No measurements yet. Import results of benchmarks, logs or the probe, and plans rest on them.</source>
      <translation>尚無量測。匯入基準測試結果、記錄檔或探測程式的結果，方案即會以其為依據。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Plans rest on operations that were timed alone; no whole run can be compared with a prediction yet.</source>
      <translation>方案以單獨計時的運算為依據；尚無完整執行可與預測比較。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>None of the measurements can be compared with a prediction yet: see what they lack.</source>
      <translation>目前沒有任何量測可與預測比較：請看各組缺少什麼。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>One measured case, {before} off as shipped.</source>
      <translation>一個量測案例，與內建預測相差 {before}。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{count} measured cases: median error {before} as shipped, {after} as the other cases predict each.</source>
      <translation>{count} 個量測案例：以隨附校準的誤差中位數為 {before}，由其他案例預測各案例時為 {after}。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>One stands apart ({mark}) and counts little.</source>
      <translation>1 筆離群 ({mark})，權重很低。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{count} stand apart ({mark}) and count little.</source>
      <translation>{count} 筆離群 ({mark})，權重很低。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Training measurements are not used for serving: a training step does not predict inference.</source>
      <translation>訓練量測不用於推論服務：訓練步驟無法預測推論。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Measurements of {phases} are not used for training: inference does not predict a training step.</source>
      <translation>{phases}的量測不用於訓練：推論無法預測訓練步驟。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Matrix products</source>
      <translation>矩陣乘積</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Memory traffic</source>
      <translation>記憶體存取</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>All-reduce</source>
      <translation>All-reduce</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>All-gather</source>
      <translation>All-gather</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Reduce-scatter</source>
      <translation>Reduce-scatter</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{operation} on {device}: {runs} timings took {ratio} times what was expected; plans on it rest on them.</source>
      <translation>{device} 上的{operation}：{runs} 次計時為預期的 {ratio} 倍；此裝置的方案以這些計時為依據。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{operation} on {device}: {runs} timings took {ratio} times what was expected; plans on it rest on them, and know one within ±{after} instead of ±{before}.</source>
      <translation>{device} 上的{operation}：{runs} 次計時為預期的 {ratio} 倍；此裝置的方案以這些計時為依據，單次時間的誤差由 ±{before} 縮小為 ±{after}。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Operations timed alone ({shown}) are kept as a record: no plan rests on them.</source>
      <translation>單獨計時的運算（{shown}）僅留作紀錄：方案不以此為依據。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Time outside the main kernels rises from {low} on {few} devices to {high} on {many}, most of it {risen}: the job is out of balance.</source>
      <translation>主要 kernel 以外的時間由 {few} 個裝置時的 {low} 升至 {many} 個裝置時的 {high}，其中多為{risen}：工作失去平衡。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Time outside the main kernels stays: {low} on {few} devices, {high} on {many}.</source>
      <translation>主要 kernel 以外的時間維持不變：{few} 個裝置時為 {low}，{many} 個裝置時為 {high}。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>other</source>
      <translation>其他</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{what}: memory does not grow with load; the engine reserves it ({at_rest} of each device).</source>
      <translation>{what}：記憶體不隨負載增加；引擎已預先保留（每個裝置 {at_rest}）。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{what}: memory of a device grows by {slope} a token, as its cache should ({expected}).</source>
      <translation>{what}：每個裝置的記憶體每 token 增加 {slope}，與其快取應有的值（{expected}）相符。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{what}: memory of a device grows by {slope} a token, its cache by {expected}: look at the cache's format, blocks that are left unused, or activations of long prompts.</source>
      <translation>{what}：每個裝置的記憶體每 token 增加 {slope}，其快取為 {expected}：請檢查快取格式、未使用的區塊，或長提示的活化值。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{what}: a measured run takes {off} a device more than predicted; plans add {shift}.</source>
      <translation>{what}：一筆量測執行每個裝置比預測多用 {off}；方案會加上 {shift}。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{what}: {runs} measured runs take {off} a device more than predicted; plans add {shift}.</source>
      <translation>{what}：{runs} 筆量測執行每個裝置比預測多用 {off}；方案會加上 {shift}。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{what}: a measured run takes {off} a device less than predicted; plans take off {shift}.</source>
      <translation>{what}：一筆量測執行每個裝置比預測少用 {off}；方案會減去 {shift}。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{what}: {runs} measured runs take {off} a device less than predicted; plans take off {shift}.</source>
      <translation>{what}：{runs} 筆量測執行每個裝置比預測少用 {off}；方案會減去 {shift}。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Memory of {model} with {framework}</source>
      <translation>{model} 搭配 {framework} 的記憶體</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Training on {device}: a doubling keeps {inside} of the pace per device inside a node ({runs_inside} runs), {across} across nodes ({runs_across} runs{usual}); {devices} devices keep {share} ({low} to {high}) of one's.</source>
      <translation>在 {device} 上訓練：裝置數加倍時，每個裝置的速度在節點內保留 {inside}（{runs_inside} 筆執行），跨節點保留 {across}（{runs_across} 筆執行{usual}）；{devices} 個裝置時每個保留單一裝置的 {share}（{low} 至 {high}）。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>: the usual</source>
      <translation>：一般值</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>The {count} new measurements lie within the band.</source>
      <translation>{count} 筆新量測都在區間內。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>slower</source>
      <translation>慢</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>faster</source>
      <translation>快</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{beyond} of {count} new measurements lie beyond the band, {off} {way} in the middle.</source>
      <translation>{count} 筆新量測中有 {beyond} 筆超出區間，中位數{way} {off}。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>Plans are for {engine} {release}, the newest release that was measured; runs of {others} count less.</source>
      <translation>計畫以 {engine} {release} 為準，即量測過的最新版本；{others} 的結果影響較小。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{workload}: no measured case is of this plan's model on one of its accelerators ({others}).</source>
      <translation>{workload}：沒有量測案例屬於此計畫的模型與其加速器（{others}）。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{workload}: {concerned} of {count} cases are of this plan's model on its accelerators; others change nothing in it ({others}).</source>
      <translation>{workload}：{count} 個案例中有 {concerned} 個屬於此計畫的模型與其加速器；其餘對它沒有影響（{others}）。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{workload}: {after}, as it would be without these measurements.</source>
      <translation>{workload}：{after}，與沒有這些量測時相同。</translation>
    </message>
    <message>
      <location filename="drawing/words/calibration.py" />
      <source>{workload}: {after}; without these measurements it would be {before}.</source>
      <translation>{workload}：{after}；若沒有這些量測則為 {before}。</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>compute</source>
      <translation>運算</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>memory bandwidth</source>
      <translation>記憶體頻寬</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>memory capacity</source>
      <translation>記憶體容量</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>interconnect</source>
      <translation>互連</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>host and launch</source>
      <translation>主機與啟動</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>measured</source>
      <translation>實測</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>calibrated</source>
      <translation>已校準</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>This model on this device was measured.</source>
      <translation>此模型在此裝置上有實測資料。</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Efficiencies come from measurements of this kind of device.</source>
      <translation>效率得自這類裝置的量測。</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>No measurement of this kind of device: its nearest relative's efficiency, a wider band.</source>
      <translation>沒有這類裝置的量測：採用最相近裝置的效率，區間較寬。</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>selective</source>
      <translation>選擇性</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>full</source>
      <translation>完整</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>{weights}, {kv} KV</source>
      <translation>{weights}，{kv} KV</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>1F1B</source>
      <translation>1F1B</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>ASIC</source>
      <translation>ASIC</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>AdamW</source>
      <translation>AdamW</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>AdamW, 8-bit</source>
      <translation>AdamW，8 位元</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Any</source>
      <translation>不限</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>CANN</source>
      <translation>CANN</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Convolutional network</source>
      <translation>卷積網路</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>CPU</source>
      <translation>CPU</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>CUDA</source>
      <translation>CUDA</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Custom</source>
      <translation>自訂</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>DeepSpeed</source>
      <translation>DeepSpeed</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Decoder</source>
      <translation>解碼器</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Encoder–decoder</source>
      <translation>編碼器–解碼器</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>FSDP</source>
      <translation>FSDP</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Gated delta net</source>
      <translation>Gated delta net</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>GPU</source>
      <translation>GPU</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Hugging Face Trainer</source>
      <translation>Hugging Face Trainer</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Kimi delta attention</source>
      <translation>Kimi delta attention</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>llama.cpp</source>
      <translation>llama.cpp</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>LoRA</source>
      <translation>LoRA</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Mamba 1</source>
      <translation>Mamba 1</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Mamba 2</source>
      <translation>Mamba 2</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Bursts (MMPP)</source>
      <translation>突發 (MMPP)</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Mixture of experts</source>
      <translation>混合專家 (MoE)</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>NCCL</source>
      <translation>NCCL</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>NeMo</source>
      <translation>NeMo</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>NPU</source>
      <translation>NPU</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>oneAPI</source>
      <translation>oneAPI</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>QLoRA</source>
      <translation>QLoRA</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Rent, 1 year</source>
      <translation>租用 1 年</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Rent, 3 years</source>
      <translation>租用 3 年</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Rent on demand</source>
      <translation>隨需租用</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>Rent spot</source>
      <translation>租用 Spot</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>RMS norm</source>
      <translation>RMS 正規化</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>ROCm</source>
      <translation>ROCm</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>SGD</source>
      <translation>SGD</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>SGD with momentum</source>
      <translation>SGD（含動量）</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>SGLang</source>
      <translation>SGLang</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>SoC</source>
      <translation>SoC</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>State-space hybrid</source>
      <translation>狀態空間混合</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>As in the trace</source>
      <translation>依紀錄</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>TPU</source>
      <translation>TPU</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>TensorRT-LLM</source>
      <translation>TensorRT-LLM</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>vLLM</source>
      <translation>vLLM</translation>
    </message>
    <message>
      <location filename="drawing/words/choices.py" />
      <source>XLA</source>
      <translation>XLA</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>One shared fleet</source>
      <translation>共用一個機群</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Shared, runs in idle hours</source>
      <translation>共用，訓練利用閒置時數</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Two fleets, both kept</source>
      <translation>兩個機群，皆全程保有</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Rent per run, keep service</source>
      <translation>訓練時才租用，服務機群保有</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>both</source>
      <translation>兩者</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Rent by the hour</source>
      <translation>按時租用</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Rent for a year</source>
      <translation>租用一年</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Rent for three years</source>
      <translation>租用三年</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Rent spot capacity</source>
      <translation>租用 Spot 容量</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Capital</source>
      <translation>資本</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Hardware support</source>
      <translation>硬體支援</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Insurance and tax</source>
      <translation>保險與稅</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Peak demand</source>
      <translation>尖峰需求</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Prompt length</source>
      <translation>提示長度</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Answer length</source>
      <translation>回答長度</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Prefix-cache hits</source>
      <translation>前綴快取命中率</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Burstiness</source>
      <translation>突發性</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Draft acceptance</source>
      <translation>草稿接受率</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Growth</source>
      <translation>成長</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Price trend</source>
      <translation>價格趨勢</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Retries</source>
      <translation>重試</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Validation runs</source>
      <translation>驗證</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Experiments</source>
      <translation>實驗</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Failure rate</source>
      <translation>故障率</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Spot interruptions</source>
      <translation>Spot 中斷</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Price of a device-hour</source>
      <translation>裝置每小時價格</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Purchase price</source>
      <translation>購買價格</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Electricity price</source>
      <translation>電價</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Rated power, taken from relatives</source>
      <translation>額定功率（取自相近裝置）</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Error of the serving model</source>
      <translation>推論服務模型的誤差</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Error of the training model</source>
      <translation>訓練模型的誤差</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Cost of the planned fleet</source>
      <translation>規劃機群的成本</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Cost of the fleet that is needed</source>
      <translation>所需機群的成本</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Replicas needed</source>
      <translation>所需副本數</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Cost over the horizon, worth today</source>
      <translation>規劃期間成本（現值）</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>TTFT p95</source>
      <translation>TTFT p95</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>TPOT p95</source>
      <translation>TPOT p95</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Device-hours</source>
      <translation>裝置小時</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Service meets its targets</source>
      <translation>服務符合目標</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Service stays within budget</source>
      <translation>服務在預算內</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Run ends by its date</source>
      <translation>訓練如期完成</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Run stays within budget</source>
      <translation>訓練在預算內</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>All of it</source>
      <translation>全部</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Latency</source>
      <translation>延遲</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Stability</source>
      <translation>穩定性</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Certainty</source>
      <translation>確定性</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>per M input tokens</source>
      <translation>每百萬輸入 token</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>per M cached input tokens</source>
      <translation>每百萬快取輸入 token</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>per M output tokens with their prompts</source>
      <translation>每百萬輸出 token（含提示）</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>per M output tokens alone</source>
      <translation>每百萬輸出 token（不含提示）</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>per request</source>
      <translation>每請求</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>per user and month</source>
      <translation>每位使用者每月</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>a month for storage and data moved out</source>
      <translation>每月儲存與資料外傳</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>per run</source>
      <translation>每次訓練</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>per M tokens trained</source>
      <translation>每百萬訓練 token</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Peak demand, {name}</source>
      <translation>尖峰需求，{name}</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>{middle} (from {low})</source>
      <translation>{middle}（自 {low} 起）</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>No way to cover both workloads has a known price</source>
      <translation>沒有任何涵蓋兩種工作負載的方式有已知價格</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>{strategy}, {devices}: {usd} over {horizon}, undiscounted</source>
      <translation>{strategy}，{devices}：{horizon} 期間 {usd}（未折現）</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>{text}; one shared fleet {more} more</source>
      <translation>{text}；共用一個機群多花 {more}</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>{fleet}: {paid} pays for interconnect, {share} of it is used</source>
      <translation>{fleet}：{paid} 花在互連，其中 {share} 有使用</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>No target, budget or date is set</source>
      <translation>未設定目標、預算或日期</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Knowing any one input better would not change the choice of device.</source>
      <translation>把任何一項輸入弄得更清楚，都不會改變裝置的選擇。</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Find out first: {name} (saves {usd} on average)</source>
      <translation>首先查明：{name}（平均節省 {usd}）</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>{expected} is expected, not {found}</source>
      <translation>這裡應為 {expected}，而不是 {found}</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>{expected} is expected</source>
      <translation>這裡應為 {expected}</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>the field {name} is missing</source>
      <translation>缺少欄位 {name}</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>the field {name} is not known</source>
      <translation>不認得欄位 {name}</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>{value} is none of the values that may stand here</source>
      <translation>{value} 不是這裡可用的值</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>{file}, at {place}</source>
      <translation>{file}，位於 {place}</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>{place}: {what}.</source>
      <translation>{place}：{what}。</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>{sentence} {remedy}.</source>
      <translation>{sentence}{remedy}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>for a year</source>
      <translation>預留一年</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>for three years</source>
      <translation>預留三年</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>as an owner</source>
      <translation>以自有方式</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>cost of the service</source>
      <translation>服務成本</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>gap between tokens, p99</source>
      <translation>token 間隔，p99</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>headroom to the targets</source>
      <translation>距目標的餘裕</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>load of a replica after a loss, of what its targets allow</source>
      <translation>失去一個後的副本負載，佔目標容許的比例</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>largest burst carried, over the peak</source>
      <translation>可承載的最大突發，與尖峰之比</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>time with enough replicas</source>
      <translation>副本足夠的時間</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>interruptions in a month</source>
      <translation>每月中斷次數</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>time until all replicas serve, started together</source>
      <translation>全部一起啟動至可服務的時間</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>cost of the run</source>
      <translation>訓練成本</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>run time</source>
      <translation>訓練時間</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>step time</source>
      <translation>單步時間</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>share of time that makes progress</source>
      <translation>有進展的時間比例</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>interruptions in the run</source>
      <translation>訓練期間的中斷次數</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>free memory</source>
      <translation>可用記憶體</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>devices without a licence for data centres</source>
      <translation>未獲資料中心授權的裝置</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>rented devices on a site without a network</source>
      <translation>無網路場地上的租用裝置</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The first token comes after {ttft_s} for one request in twenty; a person's patience for it ends at about {limit_s}.</source>
      <translation>每二十個請求有一個要等 {ttft_s} 才得到第一個 token；人的耐心約在 {limit_s} 用盡。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>One gap between tokens in a hundred is {gap_s}, against {usual_s} on average: text stutters while other prompts are read.</source>
      <translation>每一百個 token 間隔有一個達 {gap_s}，平均則為 {usual_s}：讀取其他提示時文字會停頓。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Draft tokens cost at this load: with {drafts} of them and {batch} sequences in the batch, a token takes {longer_share} longer than without.</source>
      <translation>在此負載下草稿 token 得不償失：每步 {drafts} 個草稿、批次 {batch} 個序列時，每個 token 比不用草稿多花 {longer_share} 的時間。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Tokens come {gain} times as fast as without drafts, but {drafts} of them are more than this load pays for.</source>
      <translation>token 產出速度是不用草稿時的 {gain} 倍，但 {drafts} 個草稿超出此負載划算的數量。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The slowest first tokens (p99, {p99_s}) take {ratio} times the usual {p50_s}.</source>
      <translation>最慢的第一個 token（p99，{p99_s}）是一般值 {p50_s} 的 {ratio} 倍。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Only {headroom_share} of load is left before a target breaks: any error of the plan breaks it.</source>
      <translation>距離未達目標只剩 {headroom_share} 的負載：方案稍有誤差就達不到。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>On average {busy_share} of the fleet's capacity is used; what stands ready costs {idle_usd_per_month}. The headroom of {headroom_share} to the targets is part of it.</source>
      <translation>平均使用機群容量的 {busy_share}；閒置待命的部分花費 {idle_usd_per_month}。為目標保留的 {headroom_share} 餘裕也包含在內。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{host_share} of a decode step waits for the host ({host_s}): a faster accelerator would not help.</source>
      <translation>解碼步驟有 {host_share} 在等候主機（{host_s}）：換更快的加速器沒有幫助。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The KV cache is {used_share} full at the planned load, {high_share} when long requests come together: requests would be stopped and computed again.</source>
      <translation>在規劃負載下 KV 快取用了 {used_share}，長請求同時到來時達 {high_share}：請求會被中止並重新計算。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{devices} devices share a replica although one would hold the model: alone it takes {single_tpot_s} per token instead of {tpot_s} and misses a target by {over} times its limit.</source>
      <translation>一個副本由 {devices} 個裝置分擔，儘管一個裝置就放得下模型：單獨一個時每 token 需 {single_tpot_s} 而非 {tpot_s}，達到目標上限的 {over} 倍。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{devices} devices share a replica although one would hold the model: singly the service costs {single_usd_per_month} instead of {usd_per_month}.</source>
      <translation>一個副本由 {devices} 個裝置分擔，儘管一個裝置就放得下模型：採用單一裝置時服務成本為 {single_usd_per_month}，而非 {usd_per_month}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{format} weights are unpacked before each product on this device; {compute_share} of a decode step is computing.</source>
      <translation>此裝置在每次乘積前要先解開 {format} 權重；解碼步驟有 {compute_share} 是運算。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The plan counts on {format} weights ({cache_format} KV cache), which save {saved_usd_per_month}. Whether the model's answers stay good enough is not known to the program.</source>
      <translation>方案採用 {format} 權重（{cache_format} KV 快取），可節省 {saved_usd_per_month}。模型回答的品質是否仍足夠，本程式無從得知。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Without {format} weights ({cache_format} KV cache, {weights_bytes} of weights) nothing meets the targets. Whether the model's answers stay good enough is not known to the program.</source>
      <translation>若不採用 {format} 權重（{cache_format} KV 快取，權重 {weights_bytes}），就沒有方案符合目標。模型回答的品質是否仍足夠，本程式無從得知。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{device} has {flops_ratio} times the peak rate and costs {cost_ratio} times as much for this load: peak rates do not rank devices for serving.</source>
      <translation>{device} 的峰值速率為 {flops_ratio} 倍，在此負載下的成本為 {cost_ratio} 倍：峰值速率無法為推論服務的裝置排名。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Requests come {gap_s} apart and a start takes {start_s}: switching off between them saves {saved_share} ({saved_usd_per_month}), and {cold_share} of the requests wait for a start.</source>
      <translation>請求間隔 {gap_s}，啟動需 {start_s}：在其間關閉可節省 {saved_share}（{saved_usd_per_month}），但有 {cold_share} 的請求要等候啟動。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Requests come {gap_s} apart; switching off between them would save {saved_share}, but {cold_share} of the requests would wait {start_s} for a start, with a target of {limit_s}.</source>
      <translation>請求間隔 {gap_s}；在其間關閉可節省 {saved_share}，但有 {cold_share} 的請求要等候啟動 {start_s}，而目標為 {limit_s}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The recommendation rests on a datasheet: no device of its kind was timed, and it may be {band_factor} times faster or slower. The best device with measurements is {device}, for {more_usd_per_month} more.</source>
      <translation>此建議依據規格表：同類裝置沒有計時資料，實際可能快或慢 {band_factor} 倍。有量測的最佳裝置為 {device}，多花 {more_usd_per_month}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The recommendation rests on a datasheet: no device of its kind was timed, and it may be {band_factor} times faster or slower. The best device with measurements is {device}, for {more_usd} more.</source>
      <translation>此建議依據規格表：同類裝置沒有計時資料，實際可能快或慢 {band_factor} 倍。有量測的最佳裝置為 {device}，多花 {more_usd}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The recommendation rests on a datasheet: no device of its kind was timed, and it may be {band_factor} times faster or slower. The best device with measurements is {device}, for {less_usd_per_month} less.</source>
      <translation>此建議依據規格表：同類裝置沒有計時資料，實際可能快或慢 {band_factor} 倍。有量測的最佳裝置為 {device}，少花 {less_usd_per_month}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The recommendation rests on a datasheet: no device of its kind was timed, and it may be {band_factor} times faster or slower. The best device with measurements is {device}, for {less_usd} less.</source>
      <translation>此建議依據規格表：同類裝置沒有計時資料，實際可能快或慢 {band_factor} 倍。有量測的最佳裝置為 {device}，少花 {less_usd}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The prediction rests on a datasheet: it may be {band_factor} times faster or slower, and no device with measurements meets the targets.</source>
      <translation>此預測依據規格表：實際可能快或慢 {band_factor} 倍，而且沒有任何有量測的裝置符合目標。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The service costs {usd_per_month}; its budget is {budget_usd_per_month}.</source>
      <translation>服務成本為 {usd_per_month}；預算為 {budget_usd_per_month}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>With one of {replicas} replicas lost the service cannot carry its peak.</source>
      <translation>{replicas} 個副本失去一個後，服務無法承載尖峰。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>With one of {replicas} replicas lost each of the others gets {load_share} of the load at which it just meets its targets.</source>
      <translation>{replicas} 個副本失去一個後，其餘每個承受剛好符合目標之負載的 {load_share}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Enough replicas are up {up_share} of the time ({down_s} a year without), asked for are {target_share} ({allowed_s}).</source>
      <translation>足夠副本可用的時間為 {up_share}（每年有 {down_s} 不足），要求為 {target_share}（{allowed_s}）。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>A burst of {carried} times the planned peak fills the queues without end; bursts of {burst} times are common.</source>
      <translation>達到規劃尖峰 {carried} 倍的突發會使佇列無止境成長；{burst} 倍的突發很常見。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Spot capacity would be taken away about {interruptions} times a month from a service that cannot fail over at once.</source>
      <translation>服務無法立即移轉，而 Spot 容量每月約會被收回 {interruptions} 次。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Spot capacity would be taken away about {interruptions} times during a run of {run_s} that cannot restart from a checkpoint.</source>
      <translation>這次 {run_s} 的訓練無法由檢查點重新開始，而 Spot 容量期間約會被收回 {interruptions} 次。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{lost_share} of the run's time is lost to checkpoints, failures and restarts ({lost_usd}); a checkpoint of {checkpoint_bytes} is due every {interval_s}.</source>
      <translation>訓練時間有 {lost_share} 損失於檢查點、故障與重新啟動（{lost_usd}）；每 {interval_s} 要寫一次 {checkpoint_bytes} 的檢查點。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Paid {term}, a device-hour costs {other_usd_per_hour} instead of {price_usd_per_hour}: {saved_share} less for the same fleet.</source>
      <translation>改為{term}付費時，每裝置小時為 {other_usd_per_hour} 而非 {price_usd_per_hour}：同樣的機群少花 {saved_share}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The load is {mean_over_peak_share} of its peak on average. {base} replicas reserved and the rest, up to {peak}, by the hour would cost {mixed_usd_per_month}: {saved_share} less than all of them all the time.</source>
      <translation>負載平均為尖峰的 {mean_over_peak_share}。預留 {base} 個副本，其餘按時租用至多 {peak} 個，成本為 {mixed_usd_per_month}：比全部全程保有少 {saved_share}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{fabric_usd_per_month} of the service's cost pays for links between devices, of which it uses {used_share}.</source>
      <translation>服務成本中有 {fabric_usd_per_month} 花在裝置間的連結，其中只用了 {used_share}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{busy_share} of the fleet's capacity and {memory_share} of its memory are used. {device} would do for {other_usd_per_month}.</source>
      <translation>機群容量用了 {busy_share}，記憶體用了 {memory_share}。{device} 即可勝任，成本為 {other_usd_per_month}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>A node draws up to {node_w}; a rack of this site gives {limit_w}.</source>
      <translation>一個節點最多耗電 {node_w}；此場地一個機櫃供電 {limit_w}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The fleet draws up to {fleet_w} with cooling; the site gives {limit_w}.</source>
      <translation>機群含冷卻最多耗電 {fleet_w}；場地供電 {limit_w}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The driver of {device} is not licensed for use in a data centre ({source}); {devices} are planned. {other_device} is: {more_usd_per_month} more.</source>
      <translation>{device} 的驅動程式未授權用於資料中心（{source}），而方案用了 {devices} 個。{other_device} 則有授權：多花 {more_usd_per_month}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The driver of {device} is not licensed for use in a data centre ({source}); {devices} are planned. {other_device} is: {more_usd} more for the run.</source>
      <translation>{device} 的驅動程式未授權用於資料中心（{source}），而方案用了 {devices} 個。{other_device} 則有授權：整次訓練多花 {more_usd}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The driver of {device} is not licensed for use in a data centre ({source}); {devices} are planned. {other_device} is, and costs {less_usd_per_month} less.</source>
      <translation>{device} 的驅動程式未授權用於資料中心（{source}），而方案用了 {devices} 個。{other_device} 則有授權，且少花 {less_usd_per_month}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The driver of {device} is not licensed for use in a data centre ({source}); {devices} are planned. {other_device} is, and costs {less_usd} less for the run.</source>
      <translation>{device} 的驅動程式未授權用於資料中心（{source}），而方案用了 {devices} 個。{other_device} 則有授權，且整次訓練少花 {less_usd}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The driver of {device} is not licensed for use in a data centre ({source}); {devices} are planned. No other allowed device meets the targets.</source>
      <translation>{device} 的驅動程式未授權用於資料中心（{source}），而方案用了 {devices} 個。沒有其他允許的裝置符合目標。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The site has no network, so what stands there cannot be rented from a cloud. Owned, an hour of this device costs {other_usd_per_hour} instead of {price_usd_per_hour}.</source>
      <translation>場地沒有對外網路，其設備無法向雲端租用。自有時，此裝置每小時成本為 {other_usd_per_hour}，而非 {price_usd_per_hour}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The site has no network, so what stands there cannot be rented from a cloud for {price_usd_per_hour}; the purchase price of this device is not known.</source>
      <translation>場地沒有對外網路，其設備無法以 {price_usd_per_hour} 向雲端租用；此裝置的購買價格不明。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The node ({node_w}) is cooled by liquid, which this site does not have.</source>
      <translation>此節點（{node_w}）採用液冷，而此場地沒有。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The accelerators wait for data {waiting_share} of the time: {lost_s} of the run, {wasted_usd}. More accelerators would only wait as well.</source>
      <translation>加速器有 {waiting_share} 的時間在等資料：整次訓練共 {lost_s}，{wasted_usd}。增加加速器也只是一起等。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{share} of a step is communication that nothing hides ({tensor_share} within layers, {network_share} between copies, stages and experts).</source>
      <translation>單步有 {share} 是無法隱藏的通訊（層內 {tensor_share}，副本、階段與專家之間 {network_share}）。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>One link at {rate_share} of its rate holds up every exchange; exchanges take {network_share} of a step.</source>
      <translation>一條連結只有 {rate_share} 的速率，拖住每次交換；交換佔單步的 {network_share}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The network carries only one {ratio}th of what the nodes can send at once; exchanges take {network_share} of a step.</source>
      <translation>網路只能承載節點可同時送出量的 {ratio} 分之一；交換佔單步的 {network_share}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Tensor parallelism over {tensor_parallel} devices reaches beyond the fast domain of {domain}: its exchanges take {share} of a step.</source>
      <translation>{tensor_parallel} 個裝置的張量平行超出 {domain} 個裝置的高速網域：其交換佔單步的 {share}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>On {devices} devices the run ends {saved_s} earlier for {more_usd} more; {scaling_share} of the added rate arrives.</source>
      <translation>改用 {devices} 個裝置，訓練提早 {saved_s} 完成，多花 {more_usd}；增加的速率有 {scaling_share} 發揮作用。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>On {devices} devices the run ends only {saved_s} earlier for {more_usd} more: {scaling_share} of the added rate arrives.</source>
      <translation>改用 {devices} 個裝置，訓練只提早 {saved_s} 完成，卻多花 {more_usd}：增加的速率只有 {scaling_share} 發揮作用。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>On {devices} devices the run ends {saved_s} earlier and costs {less_usd} less; {scaling_share} of the added rate arrives.</source>
      <translation>改用 {devices} 個裝置，訓練提早 {saved_s} 完成，且少花 {less_usd}；增加的速率有 {scaling_share} 發揮作用。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>On {devices} devices the run ends {saved_s} earlier and costs {less_usd} less, although only {scaling_share} of the added rate arrives.</source>
      <translation>改用 {devices} 個裝置，訓練提早 {saved_s} 完成，且少花 {less_usd}，儘管增加的速率只有 {scaling_share} 發揮作用。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Starting takes {share} of a run of {run_s}.</source>
      <translation>啟動佔 {run_s} 訓練的 {share}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Only {free_share} of memory ({free_bytes}) is free: fragmentation may end the run.</source>
      <translation>記憶體只剩 {free_share}（{free_bytes}）：記憶體碎片可能使訓練中止。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Activations take {activation_share} of memory ({activation_bytes}) at {micro_batch} sequences per pass: sequence length and micro-batch decide what fits.</source>
      <translation>每次傳遞 {micro_batch} 個序列時，活化值佔記憶體的 {activation_share}（{activation_bytes}）：放得下多少取決於序列長度與微批次。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>All activations are computed twice although {free_share} of memory is free.</source>
      <translation>儘管記憶體還剩 {free_share}，所有活化值仍計算兩次。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The plan pays for {device_hours} device-hours with {spare_share} for retries, validation and experiments; {usual_share} is usual.</source>
      <translation>方案支付 {device_hours} 裝置小時，其中 {spare_share} 用於重試、驗證與實驗；一般為 {usual_share}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The run takes {run_s} on {devices} devices, {ratio} times its deadline of {deadline_s}.</source>
      <translation>訓練在 {devices} 個裝置上需 {run_s}，為期限 {deadline_s} 的 {ratio} 倍。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The run costs {usd}; its budget is {budget_usd}.</source>
      <translation>訓練成本為 {usd}；預算為 {budget_usd}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>None of {candidates} layouts holds the training state. The nearest, {devices} × {device}, lacks {missing_bytes} per device.</source>
      <translation>{candidates} 個配置都容不下訓練狀態。最接近的 {devices} × {device} 每個裝置缺 {missing_bytes}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>None of {candidates} layouts can train: {count} {reason}.</source>
      <translation>{candidates} 個配置都無法訓練：{count} 個{reason}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Spot capacity costs {spot_usd_per_hour} instead of {price_usd_per_hour} and stretches the run by {stretch_share}: {saved_share} less.</source>
      <translation>Spot 容量為 {spot_usd_per_hour} 而非 {price_usd_per_hour}，訓練會延長 {stretch_share}：少花 {saved_share}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The runs use {use_share} of the time that is paid for; below {break_even_share} renting for the runs alone is cheaper, here by {extra_usd_per_year}.</source>
      <translation>訓練用了付費時間的 {use_share}；低於 {break_even_share} 時，只在訓練時租用較便宜，在此每年省 {extra_usd_per_year}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{device} for both workloads costs {more_usd} ({more_share}) more over a run and a month of service than {training_device} to train on and {serving_device} to serve on.</source>
      <translation>兩種工作負載都用 {device}，一次訓練加一個月服務比以 {training_device} 訓練、{serving_device} 服務多花 {more_usd}（{more_share}）。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{training_device} is the cheapest for both workloads: {usd} for a run and a month of service.</source>
      <translation>兩種工作負載都用 {training_device} 最便宜：一次訓練加一個月服務共 {usd}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>No device does both within its targets: {training_device} trains, {serving_device} serves.</source>
      <translation>沒有一款裝置能同時達成兩者的目標：{training_device} 用於訓練，{serving_device} 用於服務。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>On {device}, the best to train on, the service would cost {cost_ratio} times as much: {more_usd_per_month} more.</source>
      <translation>最適合訓練的 {device} 用於服務時，成本為 {cost_ratio} 倍：多花 {more_usd_per_month}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>On {device}, the best to serve on, a run needs {slowdown} times the device-hours and costs {more_usd} more.</source>
      <translation>最適合服務的 {device} 用於訓練時，需要 {slowdown} 倍的裝置小時，多花 {more_usd}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>On {device}, the best to serve on, a run needs {slowdown} times the device-hours and costs {less_usd} less.</source>
      <translation>最適合服務的 {device} 用於訓練時，需要 {slowdown} 倍的裝置小時，但少花 {less_usd}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>On {device}, the best to serve on, a run takes {run_s} on {devices} devices, past its deadline, and {slowdown} times the device-hours.</source>
      <translation>最適合服務的 {device} 用於訓練時，{devices} 個裝置需 {run_s}，超過期限，且裝置小時為 {slowdown} 倍。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{device}, the best to serve on, cannot train this: even {devices} of them lack {missing_bytes} each.</source>
      <translation>最適合服務的 {device} 無法用於此訓練：即使 {devices} 個，每個仍缺 {missing_bytes}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{device}, the best to serve on, cannot train this: its layouts {reason}.</source>
      <translation>最適合服務的 {device} 無法用於此訓練：其配置{reason}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The hardware choice leaves {device} alone for both: {training_devices} to train on, {serving_devices} to serve on, of which {busy_share} are used on average.</source>
      <translation>硬體選擇只留下 {device} 供兩者使用：訓練用 {training_devices} 個，服務用 {serving_devices} 個，服務平均使用 {busy_share}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>At the planned {planned_per_s} per replica TTFT p95 grows {elasticity} times as fast as the load; it saturates at {saturation_per_s}.</source>
      <translation>在每個副本規劃的 {planned_per_s} 下，TTFT p95 的成長速度是負載的 {elasticity} 倍；於 {saturation_per_s} 飽和。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Latency begins to grow faster than load at {knee_per_s} per replica; planned are {planned_per_s}.</source>
      <translation>每個副本達 {knee_per_s} 後，延遲的成長開始快於負載；規劃為 {planned_per_s}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The price of {device} was read {age_s} ago; prices of accelerators move by a fifth in {limit_s}.</source>
      <translation>{device} 的價格是 {age_s} 前讀取的；加速器價格在 {limit_s} 內會變動五分之一。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>The load is {mean_over_peak_share} of its peak on average. Up to {peak} replicas by the hour, as many as the load needs, would cost {mixed_usd_per_month}: {saved_share} less than all of them all the time.</source>
      <translation>負載平均為尖峰的 {mean_over_peak_share}。依負載按時租用至多 {peak} 個副本，成本為 {mixed_usd_per_month}：比全部全程保有少 {saved_share}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>All {points} measurements of your own are of training: nothing tells yet how {device} serves, and a token may come {band_factor} times sooner or later than planned.</source>
      <translation>您的 {points} 筆量測全部是訓練：尚無資料顯示 {device} 的推論服務表現，token 可能比規劃早或晚 {band_factor} 倍。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>All {points} measurements of your own are of serving: nothing tells yet how {device} trains, and a step may take {band_factor} times as long as planned, or as short.</source>
      <translation>您的 {points} 筆量測全部是推論服務：尚無資料顯示 {device} 的訓練表現，單步時間可能是規劃的 {band_factor} 倍，或短同樣倍數。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>A replica alone serves after {alone_s}; {replicas} that start together, as after an outage, wait {together_s}: they share the {read_bytes_per_s} of the store that holds the weights.</source>
      <translation>單一副本啟動後 {alone_s} 可服務；{replicas} 個一起啟動時（例如停機之後）要等 {together_s}：它們共用存放權重之儲存的 {read_bytes_per_s}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Nothing meets every target: even alone, a request of the nearest candidate takes {over} times a limit (TTFT p95 {ttft_s}, TPOT p95 {tpot_s}).</source>
      <translation>沒有方案符合所有目標：即使單獨執行，最接近之候選方案的一個請求也達上限的 {over} 倍（TTFT p95 {ttft_s}，TPOT p95 {tpot_s}）。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Set the target for the first token to {limit_s}; candidates that meet it exist.</source>
      <translation>將第一個 token 的目標設為 {limit_s}；有候選方案可以達到。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Let a step take {tokens} tokens at most: prompts are read in smaller pieces.</source>
      <translation>讓每一步最多處理 {tokens} 個 token：提示會分成較小的段落讀取。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Set the draft tokens per step to {drafts}.</source>
      <translation>將每步草稿 token 數設為 {drafts}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Draft no tokens.</source>
      <translation>不要草擬 token。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Plan for {share} of the rate that just meets the targets.</source>
      <translation>以剛好符合目標之速率的 {share} 規劃。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Plan for {share} of the rate that just meets the targets; the targets leave room for it.</source>
      <translation>以剛好符合目標之速率的 {share} 規劃；目標容許這樣做。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Compare the quantised model's answers with the original's on your own tasks before buying.</source>
      <translation>採購前，以您自己的任務比較量化模型與原模型的回答。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Rent one node for a day and import its measurements before buying.</source>
      <translation>採購前，先租一個節點一天並匯入其量測。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Keep {spares} spare replicas, for {usd_per_month} more at most.</source>
      <translation>保留 {spares} 個備援副本，最多多花 {usd_per_month}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Rent it by the hour.</source>
      <translation>按時租用。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Write checkpoints behind the steps.</source>
      <translation>在訓練步驟背後寫入檢查點。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Pay for it {term}.</source>
      <translation>改為{term}付費。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Reserve {base} replicas and rent the others in the hours that need them.</source>
      <translation>預留 {base} 個副本，其餘在需要的時段租用。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Connect the serving nodes with plain Ethernet.</source>
      <translation>以一般乙太網路連接服務節點。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Allow {device} as well.</source>
      <translation>也允許 {device}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Allow only devices that are licensed for data centres.</source>
      <translation>只允許有資料中心授權的裝置。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Before more accelerators: read {read_bytes_per_s} from storage, by caching or staging.</source>
      <translation>增加加速器之前：以快取或預先搬移，從儲存讀取 {read_bytes_per_s}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Before more accelerators: {cores} CPU cores per device, or data that is prepared beforehand.</source>
      <translation>增加加速器之前：每個裝置配 {cores} 個 CPU 核心，或事先準備好資料。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Find and replace the slow link.</source>
      <translation>找出並更換慢的連結。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Build the network without oversubscription.</source>
      <translation>建置沒有超額訂閱的網路。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Keep a tenth of memory free.</source>
      <translation>保留十分之一的記憶體。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Recompute only what does not fit.</source>
      <translation>只重新計算放不下的部分。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Allow up to {devices} devices.</source>
      <translation>允許至多 {devices} 個裝置。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Train on spot capacity; the run takes {stretch_share} longer.</source>
      <translation>以 Spot 容量訓練；訓練時間延長 {stretch_share}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Rent by the hour for the run, and release it afterwards.</source>
      <translation>訓練時按時租用，之後釋出。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Add replicas, lower the token budget per step, or give the KV cache more memory.</source>
      <translation>增加副本、降低每步 token 預算，或給 KV 快取更多記憶體。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Ask for a quotation and enter it.</source>
      <translation>索取報價並填入。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Import a serving benchmark of this device at the planned load before buying.</source>
      <translation>採購前，匯入此裝置在規劃負載下的推論服務基準測試。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Import a few training steps of this device before buying.</source>
      <translation>採購前，匯入此裝置的幾步訓練。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Read weights at {read_bytes_per_s}, by copies on each node or a faster store.</source>
      <translation>以各節點的複本或更快的儲存，使權重讀取達 {read_bytes_per_s}。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>Start and stop replicas with the load.</source>
      <translation>隨負載啟動與停止副本。</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>without bound</source>
      <translation>無上限</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>lower</source>
      <translation>降低</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>higher</source>
      <translation>提高</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{name}: {before}, {direction} with it; by how much shows when it is applied</source>
      <translation>{name}：{before}，採用後會{direction}；套用後即可看到幅度</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{name}: {before} → {after}, saves {saved}</source>
      <translation>{name}：{before} → {after}，節省 {saved}</translation>
    </message>
    <message>
      <location filename="drawing/words/findings.py" />
      <source>{name}: {before} → {after}</source>
      <translation>{name}：{before} → {after}</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Time to first token: from sending a request until the first token of the answer.</source>
      <translation>首個 token 時間：從送出請求到收到回答的第一個 token。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Time per output token: how long each further token of an answer takes, on average over the answer.</source>
      <translation>每個輸出 token 的時間：回答中其後每個 token 平均所需的時間。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Inter-token latency: the gap between two tokens that follow each other.</source>
      <translation>token 間延遲：相鄰兩個 token 之間的間隔。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>From sending a request until the last token of its answer.</source>
      <translation>從送出請求到收到回答的最後一個 token。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>p95</source>
      <translation>p95</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>95 of 100 requests are at least as fast; p50, p90 and p99 likewise.</source>
      <translation>每 100 個請求中有 95 個至少這麼快；p50、p90 與 p99 依此類推。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>P10, P50, P90</source>
      <translation>P10、P50、P90</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>In so many of 100 samples of the uncertain inputs a result is lower; P50 is its middle.</source>
      <translation>在不確定輸入的 100 個樣本中，有這麼多個樣本的結果較低；P50 為中位數。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Predictions of this kind have so far lain between these ends in four of five cases.</source>
      <translation>到目前為止，這類預測每五次有四次落在這兩端之間。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Replica</source>
      <translation>副本</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>The devices that together hold the model once and answer requests on their own.</source>
      <translation>共同存放一份模型並獨立回答請求的一組裝置。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Headroom</source>
      <translation>餘裕</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>How far the load may grow before a target is missed.</source>
      <translation>在未達成目標之前，負載還能增加多少。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>What attention keeps of each token that was read or written, on the device.</source>
      <translation>注意力機制為每個已讀取或已產生的 token 在裝置上保留的資料。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Reading a prompt, all its tokens at once.</source>
      <translation>一次讀取提示的所有 token。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Writing an answer, one token in each step for every request that is under way.</source>
      <translation>產生回答，每一步為每個進行中的請求產生一個 token。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>TP, PP, DP, CP, EP</source>
      <translation>TP、PP、DP、CP、EP</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Tensor, pipeline, data, context and expert parallelism: how a model is cut over devices.</source>
      <translation>張量、管線、資料、上下文與專家平行：模型如何切分到各裝置上。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>ZeRO</source>
      <translation>ZeRO</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>What data-parallel copies share instead of each holding it: 1 optimizer, 2 gradients as well, 3 weights.</source>
      <translation>資料平行的各份複本所共用而不各自保存的內容：1 為最佳化器，2 再加上梯度，3 再加上權重。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Model FLOPs utilisation: the arithmetic that a model needs over what its devices could do at their peak.</source>
      <translation>模型 FLOPs 使用率：模型所需的運算量，除以裝置在峰值下所能完成的運算量。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Share of a run's time that moves it forward, failures, restarts and checkpoints taken off.</source>
      <translation>訓練時間中真正推進進度的比例，已扣除故障、重新啟動與檢查點。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Spot</source>
      <translation>Spot</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Spare capacity of a provider at a lower price, which it may take back at short notice.</source>
      <translation>供應商以較低價格出售的閒置容量，可能在短時間內收回。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Capital, a year</source>
      <translation>每年資本成本</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Purchase less what is left at the end, as equal yearly payments at the cost of capital.</source>
      <translation>購置成本減去期末殘值，按資金成本換算為每年相等的付款。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Present value</source>
      <translation>現值</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Later payments counted less, at the cost of capital.</source>
      <translation>按資金成本折算，較晚的付款計為較少。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Power usage effectiveness: electricity of the whole site over that of its machines.</source>
      <translation>電力使用效率：整個場地的用電量除以機器的用電量。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Calibrated</source>
      <translation>已校準</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Predicted from measured timings of the same device.</source>
      <translation>依同一裝置的實測時間預測。</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Specification only</source>
      <translation>僅規格</translation>
    </message>
    <message>
      <location filename="drawing/words/glossary.py" />
      <source>Predicted from a datasheet and from relatives: nobody timed a device of this kind.</source>
      <translation>依規格表與相近裝置預測：尚無人實測過這類裝置。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>Does it fit?</source>
      <translation>放得下嗎？</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>How fast must it be?</source>
      <translation>必須多快？</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>How does the load vary?</source>
      <translation>負載如何變化？</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>May it be interrupted?</source>
      <translation>可以中斷嗎？</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>Weights take {wide_bytes} in BF16: one device of {smallest_bytes} or more holds them comfortably ({devices} of {of} in the catalogue), so the cheapest that is fast enough wins.</source>
      <translation>權重在 BF16 下佔 {wide_bytes}：一個 {smallest_bytes} 以上的裝置可以從容容納（型錄 {of} 款中有 {devices} 款），因此由夠快的裝置中最便宜者勝出。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>Weights take {wide_bytes} in BF16, too much for one device, and {narrow_bytes} in FP8, which one of {smallest_bytes} or more holds comfortably ({devices} of {of}); check the quality of the narrow format.</source>
      <translation>權重在 BF16 下佔 {wide_bytes}，一個裝置放不下；在 FP8 下佔 {narrow_bytes}，一個 {smallest_bytes} 以上的裝置可以從容容納（{of} 款中有 {devices} 款）；請查驗窄格式的品質。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>Weights take {wide_bytes} in BF16 and {narrow_bytes} in FP8: more than one device of up to {largest_bytes} holds comfortably, so devices with a fast link between them are tried.</source>
      <translation>權重在 BF16 下佔 {wide_bytes}，在 FP8 下佔 {narrow_bytes}：超過一個至多 {largest_bytes} 的裝置能從容容納的量，因此嘗試彼此間有高速連結的裝置。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>Weights take {wide_bytes} in BF16 and {narrow_bytes} in FP8.</source>
      <translation>權重在 BF16 下佔 {wide_bytes}，在 FP8 下佔 {narrow_bytes}。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>Answers are waited for, so candidates are judged by their latency at load: {limits}.</source>
      <translation>有人在等候回答，因此候選方案以負載下的延遲評判：{limits}。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>Nobody waits for an answer, so candidates are judged by cost per token alone.</source>
      <translation>沒有人在等候回答，因此候選方案只以每 token 成本評判。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>{tokens} are trained on{deadline}.</source>
      <translation>訓練 {tokens}{deadline}。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>The load is nearly always there ({mean_over_peak} of its peak on average), so the fleet is priced with a one-year commitment.</source>
      <translation>負載幾乎一直存在（平均為尖峰的 {mean_over_peak}），因此機群以一年承諾計價。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>The load follows the day ({mean_over_peak} of its peak on average), so the fleet is priced on demand; a committed base is worth comparing.</source>
      <translation>負載隨一天起伏（平均為尖峰的 {mean_over_peak}），因此機群以隨需計價；承諾租用的基本量值得比較。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>The load comes in bursts ({mean_over_peak} of its peak on average): the peak decides the size, and on-demand prices what autoscaling can release.</source>
      <translation>負載呈突發（平均為尖峰的 {mean_over_peak}）：尖峰決定規模，隨需價格反映自動擴縮可釋出的部分。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>Training is a burst: devices are wanted for the run and released after it.</source>
      <translation>訓練是一陣突發：訓練時需要裝置，之後釋出。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>It may be interrupted, so spot capacity is priced where nobody waits; checkpoints limit what an interruption costs.</source>
      <translation>可以中斷，因此沒有人等候之處以 Spot 容量計價；檢查點可限制中斷的代價。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>It must not be interrupted, so spot capacity is left out.</source>
      <translation>不可中斷，因此不考慮 Spot 容量。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>One replica more than the load needs is kept for a failure.</source>
      <translation>為故障多保留一個超出負載所需的副本。</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>first token within {value}</source>
      <translation>第一個 token 在 {value} 內</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>{value} per token</source>
      <translation>每 token {value}</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>gaps up to {value}</source>
      <translation>間隔至多 {value}</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source>whole answers within {value}</source>
      <translation>完整回答在 {value} 內</translation>
    </message>
    <message>
      <location filename="drawing/words/guided_start.py" />
      <source> within {value}</source>
      <translation> 於 {value} 內完成</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Tensor parallel</source>
      <translation>張量平行</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Pipeline parallel</source>
      <translation>管線平行</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Virtual pipeline stages</source>
      <translation>虛擬管線階段</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Context parallel</source>
      <translation>上下文平行</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Expert parallel</source>
      <translation>專家平行</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>ZeRO stage</source>
      <translation>ZeRO 階段</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Hybrid sharding</source>
      <translation>混合分片</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Largest context</source>
      <translation>最大上下文</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Largest batch</source>
      <translation>最大批次</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Token budget per step</source>
      <translation>每步 token 預算</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Memory fraction</source>
      <translation>記憶體比例</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Tokens per KV block</source>
      <translation>每個 KV 區塊的 token 數</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Batching</source>
      <translation>批次處理</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Prefix cache</source>
      <translation>前綴快取</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Priorities of request classes</source>
      <translation>請求類別的優先順序</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Draft tokens per step</source>
      <translation>每步草稿 token 數</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Servers per replica</source>
      <translation>每個副本的伺服器數</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Global batch in sequences</source>
      <translation>全域批次（序列數）</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Micro-batches per step</source>
      <translation>每步微批次數</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Steps</source>
      <translation>步數</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Precision recipe</source>
      <translation>精度配方</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Optimizer</source>
      <translation>最佳化器</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Recomputed activations</source>
      <translation>重新計算的活化值</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Flash attention</source>
      <translation>Flash attention</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Method</source>
      <translation>方法</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Optimizer state kept in</source>
      <translation>最佳化器狀態的存放處</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Pipeline schedule</source>
      <translation>管線排程</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Steps between checkpoints</source>
      <translation>檢查點之間的步數</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Checkpoints written behind the step</source>
      <translation>在步驟背後寫入的檢查點</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>given</source>
      <translation>已指定</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>done without being asked</source>
      <translation>不需指定即會執行</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>in your training script</source>
      <translation>在您的訓練指令碼中</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>read from the checkpoint</source>
      <translation>由檢查點讀取</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>not possible with it</source>
      <translation>此程式無法做到</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>The plan runs {replicas} of these behind a load balancer, spares included.</source>
      <translation>方案會在負載平衡器後執行 {replicas} 個這樣的副本，含備援。</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>The plan's latencies were predicted for {engine}; expect others here.</source>
      <translation>方案的延遲是針對 {engine} 預測的；在此會有所不同。</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>$MODEL must be a checkpoint that is stored in {precision}; its own file says so to the program.</source>
      <translation>$MODEL 必須是以 {precision} 儲存的檢查點；其檔案本身會告知程式。</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Measure the model's quality in {precision} against the original before it goes live.</source>
      <translation>上線前，請對照原模型衡量此模型以 {precision} 執行的品質。</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>The device has no units for {precision}: weights are unpacked before each product.</source>
      <translation>此裝置沒有 {precision} 的單元：每次乘積前先解開權重。</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>The plan takes {tokens} draft tokens, of which {acceptance} each are kept; which draft, it leaves open.</source>
      <translation>方案採用 {tokens} 個草稿 token，每個有 {acceptance} 被保留；使用哪個草稿模型並未指定。</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Layers, heads and tokenizer come from your model's own arguments; they stand after these.</source>
      <translation>層、頭與 tokenizer 由您模型本身的參數決定；它們接在這些之後。</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>Your training script and its own arguments come after these.</source>
      <translation>您的訓練指令碼及其參數接在這些之後。</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>{name} does not run on {accelerator} ({ecosystem}).</source>
      <translation>{name} 無法在 {accelerator} 上執行（{ecosystem}）。</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>{name} does not run models of this kind ({kind}).</source>
      <translation>{name} 不執行這種模型（{kind}）。</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>an engine in general</source>
      <translation>一般的引擎</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>the checkpoint of {model}</source>
      <translation>{model} 的檢查點</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>the draft model</source>
      <translation>草稿模型</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>the server's number, from 0</source>
      <translation>伺服器編號，自 0 起</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>the address of server 0</source>
      <translation>伺服器 0 的位址</translation>
    </message>
    <message>
      <location filename="drawing/words/launch.py" />
      <source>✖ {name} cannot do as the plan has it: {parts}.</source>
      <translation>✖ {name} 無法照方案執行：{parts}。</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>Saturates at {rate}</source>
      <translation>飽和於 {rate}</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>Meets every target up to {rate}</source>
      <translation>在 {rate} 以內符合所有目標</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>Meets the targets at no rate that was simulated</source>
      <translation>模擬過的速率都不符合目標</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>Knee of p95 TTFT at {rate}</source>
      <translation>p95 TTFT 的轉折點在 {rate}</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>Plan for {rate} at most</source>
      <translation>規劃時至多 {rate}</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>closed form {rate}</source>
      <translation>封閉解 {rate}</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>The closed form's mean {name} is off by more than its band at {count} rates, {first} to {last}: by up to {worst}</source>
      <translation>封閉解的平均 {name} 在 {count} 個速率下偏差超出其區間，{first} 至 {last}：最多達 {worst}</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>The closed form's mean {name} is off by more than its band at {last}: by {worst}</source>
      <translation>封閉解的平均 {name} 在 {last} 偏差超出其區間：達 {worst}</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>more than tenfold</source>
      <translation>十倍以上</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>At {rate} it answers {answered}, {tokens}; {batch} in the batch, KV cache {use} full, at most {most}; {lost}.</source>
      <translation>在 {rate} 時回應 {answered}、{tokens}；批次中 {batch} 個，KV 快取使用 {use}，最多 {most}；{lost}。</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>{count} preempted</source>
      <translation>{count} 個被搶佔</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>none preempted</source>
      <translation>無請求被搶佔</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>{count} rejected</source>
      <translation>{count} 個遭拒</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>{passed} of {count} tests passed so far</source>
      <translation>目前 {count} 項測試中通過 {passed} 項</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>{count} replicas, simulated as {fewer}</source>
      <translation>{count} 個副本，以 {fewer} 個模擬</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>Ready: all {count} tests passed ({fleet} at {rate})</source>
      <translation>已就緒：{count} 項測試全部通過（{rate}，{fleet}）</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>Not ready: {failed} of {count} tests failed ({fleet} at {rate})</source>
      <translation>尚未就緒：{count} 項測試中有 {failed} 項未通過（{rate}，{fleet}）</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>{considered} configurations considered, {simulated} runs</source>
      <translation>考慮 {considered} 種組態，執行 {simulated} 次</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>No configuration meets every target ({ran})</source>
      <translation>沒有任何組態符合所有目標（{ran}）</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>Nothing found that meets every target before the search was cut short ({ran})</source>
      <translation>搜尋提前結束，尚未找到達到所有目標的配置（{ran}）</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>; the search was cut short</source>
      <translation>；搜尋提前結束</translation>
    </message>
    <message>
      <location filename="drawing/words/load.py" />
      <source>Cheapest within every simulated target: {cost} ({ran}{cut})</source>
      <translation>符合所有模擬目標的最低成本：{cost}（{ran}{cut}）</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>QKV</source>
      <translation>QKV</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>QK norm</source>
      <translation>QK 正規化</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Rotary, cache write</source>
      <translation>旋轉位置、寫入快取</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Attention</source>
      <translation>注意力</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Output</source>
      <translation>輸出</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Output, down</source>
      <translation>輸出、降維</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Cross query</source>
      <translation>交叉 query</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Cross attention</source>
      <translation>交叉注意力</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Cross output</source>
      <translation>交叉輸出</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Latent down</source>
      <translation>潛在降維</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Latent up</source>
      <translation>潛在升維</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Query up</source>
      <translation>Query 升維</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Indexer</source>
      <translation>索引器</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Indexer scores</source>
      <translation>索引器評分</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Convolution</source>
      <translation>卷積</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Recurrent state</source>
      <translation>遞迴狀態</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>State input</source>
      <translation>狀態輸入</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Time step</source>
      <translation>時間步</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Gate, up</source>
      <translation>閘、升維</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Activation</source>
      <translation>活化函數</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Down</source>
      <translation>降維</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Router</source>
      <translation>路由器</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Experts</source>
      <translation>專家數</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Dispatch</source>
      <translation>分派</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Shared gate, up</source>
      <translation>共用閘、升維</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Shared activation</source>
      <translation>共用活化函數</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Shared down</source>
      <translation>共用降維</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Dense gate, up</source>
      <translation>稠密閘、升維</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Dense activation</source>
      <translation>稠密活化函數</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Dense down</source>
      <translation>稠密降維</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Norms</source>
      <translation>正規化</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>LM head</source>
      <translation>LM 輸出頭</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Embedding</source>
      <translation>嵌入</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Norms, activations</source>
      <translation>正規化、活化函數</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Head, loss</source>
      <translation>輸出頭、損失</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>At every batch memory traffic outweighs compute</source>
      <translation>任何批次下，記憶體流量都大於運算</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Compute leads from batch {crossover} on; the memory holds {largest}</source>
      <translation>批次 {crossover} 起以運算為主；記憶體可容納 {largest}</translation>
    </message>
    <message>
      <location filename="drawing/words/candidates.py" />
      <source>Compute leads from batch {crossover} on</source>
      <translation>批次 {crossover} 起以運算為主</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>accelerator</source>
      <translation>加速器</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>accelerators</source>
      <translation>加速器</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>node</source>
      <translation>節點</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>nodes</source>
      <translation>節點</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>link</source>
      <translation>連結</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>links</source>
      <translation>連結</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>offer</source>
      <translation>租用報價</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>offers</source>
      <translation>租用報價</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>model</source>
      <translation>模型</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>models</source>
      <translation>模型</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>calibration file</source>
      <translation>校準檔</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>calibration files</source>
      <translation>校準檔</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source> by {issuer}</source>
      <translation> ，由 {issuer} 發行</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{name}, issued on {date}{by}</source>
      <translation>{name}，發行於 {date}{by}</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>changed</source>
      <translation>變更</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>Nothing would change: all of it is in force already.</source>
      <translation>不會有任何改變：全部都已生效。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>Written for an earlier version: this one has no use for {names}, and leaves it out.</source>
      <translation>此套件為較早的版本所寫：本版本用不到 {names}，予以略過。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>new</source>
      <translation>新增</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>in force</source>
      <translation>生效中</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>replaced</source>
      <translation>已取代</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Ways to pay are compared by their worth today: {years}, at {rate} a year for capital, before income tax.</source>
      <translation>各種付款方式以現值比較：{years}，資金成本每年 {rate}，未計所得稅。</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>A term that outlasts the horizon is left out.</source>
      <translation>超出規劃期間的租期不列入。</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>A term's price here is above that by the hour: offers of the two come from different providers.</source>
      <translation>此處租期的價格高於按時租用：兩者的報價來自不同的供應商。</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Load changes by {growth} a year: what is held is sized for the highest load of each year ({steps} replicas), and what is bought stays; following the load carries the same load hour by hour.</source>
      <translation>負載每年變動 {growth}：持有的機群依每年的最高負載配置（{steps} 個副本），購入者一直保留；隨負載調整的方式逐小時承擔相同的負載。</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Owned devices are charged for {years} of their {life}: the rest of their worth is not lost.</source>
      <translation>自有裝置在 {life} 的壽命中計入 {years}：其餘價值並未損失。</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Owned devices last {life}; after that they are bought again at today's price.</source>
      <translation>自有裝置可用 {life}；之後以今日價格重新購入。</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Owned devices are charged for the whole of their life, less what they are sold for.</source>
      <translation>自有裝置計入整個壽命的費用，並扣除出售所得。</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Tokens are counted at the mean load, {share} of the peak.</source>
      <translation>token 以平均負載計算，為尖峰的 {share}。</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>Tokens are counted at the mean load, {share} of the peak: {day} within the busiest day, times {week} for the week.</source>
      <translation>token 以平均負載計算，為尖峰的 {share}：最忙碌的一天之內為 {day}，再乘以一週的 {week}。</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>{count} days of the week are not stated and taken to have no load.</source>
      <translation>一週中有 {count} 天未填寫，視為沒有負載。</translation>
    </message>
    <message>
      <location filename="drawing/words/decision.py" />
      <source>One day of the week is not stated and taken to have no load.</source>
      <translation>一週中有一天未填寫，視為沒有負載。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>Purchase</source>
      <translation>購買</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>On demand, per hour</source>
      <translation>隨需，每小時</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>Reserved 1 year, per hour</source>
      <translation>預留 1 年，每小時</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>Reserved 3 years, per hour</source>
      <translation>預留 3 年，每小時</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>Spot, per hour</source>
      <translation>Spot，每小時</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>Currency</source>
      <translation>幣別</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>What it pays for</source>
      <translation>付費項目</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>Date</source>
      <translation>日期</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>Provider</source>
      <translation>供應商</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>Region</source>
      <translation>地區</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>No device is named.</source>
      <translation>未指明裝置。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>“{detail}” is no device of the catalogue.</source>
      <translation>「{detail}」不是型錄中的裝置。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>There is no price.</source>
      <translation>沒有價格。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>“{detail}” is no price.</source>
      <translation>「{detail}」不是價格。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>“{detail}” is no currency that is known.</source>
      <translation>「{detail}」不是已知的幣別。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{detail} has no rate in dollars yet.</source>
      <translation>{detail} 尚無對美元的匯率。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>“{detail}” is no date; 2026-10-31 is one.</source>
      <translation>「{detail}」不是日期；2026-10-31 才是。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{detail} is in the future.</source>
      <translation>{detail} 在未來。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>“{detail}” says neither purchase nor a kind of rental.</source>
      <translation>「{detail}」既非購買也非任何租用方式。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>“{detail}” is no number of devices.</source>
      <translation>「{detail}」不是裝置數量。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{price} to buy one: is it the price of an hour?</source>
      <translation>購買一個只要 {price}：這是每小時的價格嗎？</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{price} for an hour: is it what one costs to buy?</source>
      <translation>每小時 {price}：這是購買價格嗎？</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>Read {age} ago.</source>
      <translation>{age}前讀取。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{usable} of {total} rows can be used; they price one device.</source>
      <translation>{total} 列中有 {usable} 列可用，涵蓋 1 種裝置。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{usable} of {total} rows can be used; they price {devices} devices.</source>
      <translation>{total} 列中有 {usable} 列可用；共為 {devices} 款裝置定價。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{count} prices are unlikely: see their remarks.</source>
      <translation>{count} 個價格不太可能：請看備註。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{old} prices are older than {age}: ask for new ones.</source>
      <translation>{old} 個價格已超過 {age}：請索取新價格。</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>{name} must be a finite number.</source>
      <translation>{name}必須是有限的數字。</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>{name} must be at least {limit}; it is {value}.</source>
      <translation>{name}至少須為 {limit}；目前為 {value}。</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>{name} must be more than {limit}; it is {value}.</source>
      <translation>{name}須大於 {limit}；目前為 {value}。</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>{name} must be at most {limit}; it is {value}.</source>
      <translation>{name}至多為 {limit}；目前為 {value}。</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>{name}: the ends of a range must rise; they are {value}.</source>
      <translation>{name}：範圍的兩端須由小到大；目前為 {value}。</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>{name} must be one of {limit}; it is “{value}”.</source>
      <translation>{name}須為 {limit} 之一；目前為「{value}」。</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>{name}: {value}</source>
      <translation>{name}：{value}</translation>
    </message>
    <message>
      <location filename="drawing/words/files.py" />
      <source>The value</source>
      <translation>此值</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>does not fit: {value} per device missing, memory runs out at the {part}</source>
      <translation>放不下：每個裝置缺 {value}，記憶體在{part}處用盡</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>{precision} is not supported</source>
      <translation>不支援 {precision}</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>{value} heads do not divide by {tensor_parallel}</source>
      <translation>{value} 個頭無法被 {tensor_parallel} 整除</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>{value} layers cannot be cut into {pipeline_parallel} stages</source>
      <translation>{value} 層無法切成 {pipeline_parallel} 個階段</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>TP {tensor_parallel} reaches beyond the {value} devices of a scale-up domain</source>
      <translation>TP {tensor_parallel} 超出 Scale-up 網域的 {value} 個裝置</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>a batch of {value} sequences does not divide over the data-parallel copies</source>
      <translation>{value} 個序列的批次無法平均分給資料平行副本</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>no peak rate is known for this precision</source>
      <translation>此精度的峰值速率不明</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>misses a target: {ratio} × its limit at best</source>
      <translation>未達目標：最好也是上限的 {ratio} 倍</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>misses the deadline: takes {ratio} × as long</source>
      <translation>未達期限：需時為 {ratio} 倍</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>over budget: costs {ratio} × as much</source>
      <translation>超出預算：成本為 {ratio} 倍</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>no price is known</source>
      <translation>沒有已知價格</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>has no training software</source>
      <translation>沒有訓練軟體</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>KV cache too small for the largest context: {value} per device missing</source>
      <translation>KV 快取容不下最大上下文：每個裝置缺 {value}</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>{value} over the site's power limit</source>
      <translation>超出場地功率上限 {value}</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>the site lacks its cooling</source>
      <translation>場地缺少其所需的冷卻</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>leaves only {share} of memory free</source>
      <translation>記憶體只剩 {share}</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>{value} experts do not divide by the expert-parallel size</source>
      <translation>{value} 個專家無法被專家平行數整除</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>memory bandwidth is not known</source>
      <translation>記憶體頻寬不明</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>is no longer sold</source>
      <translation>已停售</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>is left out by the hardware choice</source>
      <translation>被硬體選擇排除</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>no latency can be predicted: the device lacks a figure that this format needs</source>
      <translation>無法預測延遲：此裝置缺少該格式所需的數據</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>misses the deadline: no run time can be predicted</source>
      <translation>趕不上期限：無法預測執行時間</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>over budget: no cost can be predicted</source>
      <translation>超出預算：無法預測成本</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>weights and optimizer state</source>
      <translation>權重與最佳化器狀態</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>runs</source>
      <translation>可執行</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>do not fit in memory</source>
      <translation>記憶體放不下</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>have no known memory size</source>
      <translation>記憶體容量不明</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>lack the precision</source>
      <translation>缺少該精度</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>do not divide the heads</source>
      <translation>無法整除頭數</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>do not divide the layers</source>
      <translation>無法整除層數</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>reach beyond the scale-up domain</source>
      <translation>超出 Scale-up 網域</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>do not divide the batch</source>
      <translation>無法整除批次</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>have no known peak rate</source>
      <translation>峰值速率不明</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>miss a target</source>
      <translation>未達目標</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>miss the deadline</source>
      <translation>未達期限</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>are over budget</source>
      <translation>超出預算</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>have no known price</source>
      <translation>沒有已知價格</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>have no training software</source>
      <translation>沒有訓練軟體</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>lack room for the largest context</source>
      <translation>容不下最大上下文</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>exceed the site's power</source>
      <translation>超出場地功率</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>need other cooling</source>
      <translation>需要其他冷卻方式</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>leave too little memory free</source>
      <translation>剩餘記憶體太少</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>do not divide the experts</source>
      <translation>無法整除專家數</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>have no known bandwidth</source>
      <translation>頻寬不明</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>are no longer sold</source>
      <translation>已停售</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>are left out by the hardware choice</source>
      <translation>被硬體選擇排除</translation>
    </message>
    <message>
      <location filename="drawing/words/reasons.py" />
      <source>this precision</source>
      <translation>此精度</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{field}: {stated} is twice what {against} does for each compute unit and clock. Is it the rate with structured sparsity? The dense rate would be {expected}.</source>
      <translation>{field}：{stated} 是 {against} 每運算單元每時脈的兩倍。是否為結構化稀疏的速率？稠密速率應為 {expected}。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{field}: {stated} is four times the rate of {against}. Is it the rate with structured sparsity? The dense rate would be {expected}.</source>
      <translation>{field}：{stated} 是 {against} 速率的四倍。是否為結構化稀疏的速率？稠密速率應為 {expected}。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{field}: {stated} looks like a figure in TB/s that was typed in TiB/s; that would be {expected}.</source>
      <translation>{field}：{stated} 看似以 TiB/s 輸入的 TB/s 數字；那應為 {expected}。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{field}: {stated} is eight times too much. Was it stated in bits per second? That would be {expected}.</source>
      <translation>{field}：{stated} 大了八倍。原值是否以每秒位元表示？那應為 {expected}。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{field}: {stated} looks like both directions together; one direction would be {expected}.</source>
      <translation>{field}：{stated} 看似雙向合計；單向應為 {expected}。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{field}: {stated} does not follow from the bus and its rate per pin, which give {expected}.</source>
      <translation>{field}：{stated} 與匯流排及每腳位速率不符，依其計算為 {expected}。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{field}: {stated} does not follow from generation and lanes, which give {expected}.</source>
      <translation>{field}：{stated} 與世代及通道數不符，依其計算為 {expected}。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{field}: {stated} is a round number of GB, and memory is built in GiB. If the sheet means GiB, it is {expected}.</source>
      <translation>{field}：{stated} 是 GB 整數，而記憶體以 GiB 製造。若規格表所指為 GiB，則為 {expected}。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{field}: {stated} is too little for such rates. Was it stated in kilowatts? It would be {expected}.</source>
      <translation>{field}：以這種速率而言 {stated} 太小。原值是否以千瓦表示？那應為 {expected}。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{field}: {stated} is not more than the idle power, {expected}.</source>
      <translation>{field}：{stated} 未高於閒置功率 {expected}。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>{field}: {stated} is far from what {against} needs for such rates, about {expected}.</source>
      <translation>{field}：{stated} 與 {against} 達到這種速率所需的約 {expected} 相差甚遠。</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>Scale-up fabric</source>
      <translation>Scale-up 網路</translation>
    </message>
    <message>
      <location filename="drawing/words/pack.py" />
      <source>PCIe</source>
      <translation>PCIe</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>Interleaved 1F1B</source>
      <translation>交錯式 1F1B</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>Zero bubble</source>
      <translation>零氣泡</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>Shortest time</source>
      <translation>時間最短</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>Lowest cost</source>
      <translation>成本最低</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>Fewest devices for the deadline</source>
      <translation>符合期限的最少裝置</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>memory traffic</source>
      <translation>記憶體流量</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>TP exchange</source>
      <translation>TP 交換</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>DP exchange</source>
      <translation>DP 交換</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>PP exchange</source>
      <translation>PP 交換</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>EP and CP exchange</source>
      <translation>EP 與 CP 交換</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>pipeline bubble</source>
      <translation>管線氣泡</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>host</source>
      <translation>主機</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>waiting for data</source>
      <translation>等待資料</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>No candidate can train: the table says what each lacks.</source>
      <translation>沒有候選方案能訓練：表格說明各自缺少什麼。</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>the best</source>
      <translation>最佳</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>step +{slower}: {name} +{more}</source>
      <translation>單步 +{slower}：{name} +{more}</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>as fast, with more {name}</source>
      <translation>一樣快，但{name}較多</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>{count} × {name}</source>
      <translation>{count} × {name}</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>{tried} layouts of {where} tried, {fitting} fit, {front} on the front</source>
      <translation>已在 {where} 上嘗試 {tried} 個配置，{fitting} 個放得下，{front} 個位於前緣</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>On the front: no other layout is both faster and leaner in memory.</source>
      <translation>位於前緣：沒有其他配置同時更快又更省記憶體。</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>On the front: no other layout is both faster and cheaper.</source>
      <translation>位於前緣：沒有其他配置同時更快又更便宜。</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>No model of this shape fits {devices}.</source>
      <translation>此形狀的模型都無法放入 {devices}。</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>The largest model of this shape that {devices} can train has {parameters} ({layers} layers, width {width}): {each} bytes of memory for each parameter.</source>
      <translation>{devices} 能訓練的同形狀最大模型有 {parameters}（{layers} 層，寬度 {width}）：每個參數佔 {each} 位元組記憶體。</translation>
    </message>
    <message>
      <location filename="drawing/words/training.py" />
      <source>{count} parameters</source>
      <translation>{count} 個參數</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>limit: {resource}</source>
      <translation>瓶頸：{resource}</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>headroom {share}</source>
      <translation>餘裕 {share}</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>Meets every target.</source>
      <translation>符合所有目標。</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>Nothing meets every target; this comes closest.</source>
      <translation>沒有方案符合所有目標；這是最接近的。</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>Would meet every target with continuous batching.</source>
      <translation>採用連續批次處理時，可符合所有目標。</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>The ranking knows no batches that start and end together: the Load page simulates them.</source>
      <translation>排名不考慮一起開始、一起結束的批次；「負載」頁會模擬這類批次。</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>Draft tokens cost at this load: without them a token takes {share} less time.</source>
      <translation>在此負載下草稿 token 得不償失：不用草稿時每個 token 少花 {share} 的時間。</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>{target} at {rate}</source>
      <translation>{rate} 時 {target}</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>{cost} per M output tokens</source>
      <translation>每百萬輸出 token {cost}</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>Serve on {each} per replica, {layout} · {fleet}</source>
      <translation>以每個副本 {each} 提供推論服務，{layout} · {fleet}</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>replicas unknown</source>
      <translation>副本數不明</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>{working} + {spare} spare</source>
      <translation>{working} + {spare} 備援</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>{zones} zones</source>
      <translation>{zones} 個區域</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>TTFT p95 {value}</source>
      <translation>TTFT p95 {value}</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>tightest target: {name} {limit}</source>
      <translation>最緊的目標：{name} {limit}</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>{name} {value}{band}, target {limit}</source>
      <translation>{name} {value}{band}，目標 {limit}</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>To meet it: allow {name} {reachable} instead of {limit}, or {change}.</source>
      <translation>要達成目標：將 {name} 由 {limit} 放寬到 {reachable}，或{change}。</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>shorten prompts, cache prefixes, or allow more devices per replica</source>
      <translation>縮短提示、快取前綴，或允許每個副本用更多裝置</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>allow smaller formats, or more devices per replica</source>
      <translation>允許較小的格式，或每個副本用更多裝置</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>Train on {count} × {name}, {layout}</source>
      <translation>以 {count} × {name} 訓練，{layout}</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>No deadline or budget is set.</source>
      <translation>未設定期限或預算。</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>Nothing meets deadline and budget; this comes closest.</source>
      <translation>沒有方案符合期限與預算；這是最接近的。</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>takes {time}</source>
      <translation>需時 {time}</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>, deadline {deadline}</source>
      <translation>，期限 {deadline}</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>, budget {budget}</source>
      <translation>，預算 {budget}</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>To meet it: allow {reachable}, more devices, or fewer tokens.</source>
      <translation>要達成目標：放寬到 {reachable}、使用更多裝置，或減少 token 數。</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>To meet it: allow {needed}, fewer tokens, or a cheaper procurement.</source>
      <translation>要達成目標：放寬到 {needed}、減少 token 數，或採用較便宜的採購方式。</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>Closest: {name}, {missing} per device missing. Allow more devices or smaller formats.</source>
      <translation>最接近者：{name}，每個裝置缺 {missing}。請允許更多裝置或較小的格式。</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>The hardware choice leaves no candidate: allow more vendors, kinds or devices.</source>
      <translation>硬體選擇沒有留下任何候選方案：請允許更多廠商、種類或裝置。</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>Nothing can serve this.</source>
      <translation>沒有方案能提供這項推論服務。</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>Nothing can train this.</source>
      <translation>沒有方案能完成這項訓練。</translation>
    </message>
    <message>
      <location filename="drawing/words/verdict.py" />
      <source>Of {total} candidates: {reasons}</source>
      <translation>{total} 個候選方案中：{reasons}</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;File</source>
      <translation>檔案(&amp;F)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;New Project</source>
      <translation>新增專案(&amp;N)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>New with &amp;Guided Start…</source>
      <translation>以引導式開始新增(&amp;G)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>New from &amp;Example</source>
      <translation>從範例新增(&amp;E)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Open…</source>
      <translation>開啟(&amp;O)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Open &amp;Recent</source>
      <translation>開啟最近的專案(&amp;R)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Re&amp;cover Unsaved Work…</source>
      <translation>復原未儲存的工作(&amp;C)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Save</source>
      <translation>儲存(&amp;S)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Save &amp;As…</source>
      <translation>另存新檔(&amp;A)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Import Meas&amp;urements…</source>
      <translation>匯入量測(&amp;U)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Import Model Configuration…</source>
      <translation>匯入模型設定(&amp;I)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Import &amp;Traffic Trace…</source>
      <translation>匯入流量紀錄(&amp;T)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>E&amp;xport Report…</source>
      <translation>匯出報告(&amp;X)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Start &amp;Page</source>
      <translation>起始頁(&amp;P)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Quit</source>
      <translation>結束(&amp;Q)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Edit</source>
      <translation>編輯(&amp;E)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Find a Command…</source>
      <translation>尋找命令(&amp;F)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Go to &amp;Inputs</source>
      <translation>前往輸入(&amp;I)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Go to &amp;Candidates</source>
      <translation>前往候選方案(&amp;C)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Preferences…</source>
      <translation>偏好設定(&amp;P)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;View</source>
      <translation>檢視(&amp;V)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Reset Layout</source>
      <translation>重設版面(&amp;R)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Theme</source>
      <translation>佈景主題(&amp;T)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Language</source>
      <translation>語言(&amp;L)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Plan</source>
      <translation>方案(&amp;P)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Add Scenario</source>
      <translation>新增情境(&amp;A)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Duplicate Scenario</source>
      <translation>複製情境(&amp;D)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Re&amp;name Scenario</source>
      <translation>重新命名情境(&amp;N)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Move Scenario &amp;Up</source>
      <translation>情境上移(&amp;U)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Move Scenario D&amp;own</source>
      <translation>情境下移(&amp;O)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Remo&amp;ve Scenario</source>
      <translation>移除情境(&amp;V)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Add Request &amp;Class</source>
      <translation>新增請求類別(&amp;C)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Leave Out &amp;Training</source>
      <translation>不含訓練(&amp;T)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Leave Out &amp;Serving</source>
      <translation>不含推論服務(&amp;S)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Launch &amp;Flags…</source>
      <translation>啟動參數(&amp;F)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Compute A&amp;gain</source>
      <translation>重新計算(&amp;G)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Cance&amp;l Computation</source>
      <translation>取消計算(&amp;L)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Catalogue</source>
      <translation>型錄(&amp;C)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Browse</source>
      <translation>瀏覽(&amp;B)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Use Current Figures</source>
      <translation>改用目前的數字(&amp;U)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Add Own Device…</source>
      <translation>新增自有裝置(&amp;A)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Import Price &amp;List…</source>
      <translation>匯入價目表(&amp;L)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Open &amp;Folder of Own Entries</source>
      <translation>開啟自有項目的資料夾(&amp;F)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Import Pack…</source>
      <translation>匯入型錄包(&amp;I)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Take Back Last Pack</source>
      <translation>撤回上一個型錄包(&amp;T)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Window</source>
      <translation>視窗(&amp;W)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>New &amp;Window</source>
      <translation>開新視窗(&amp;W)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Ne&amp;xt Window</source>
      <translation>下一個視窗(&amp;X)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Close Window</source>
      <translation>關閉視窗(&amp;C)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Help</source>
      <translation>說明(&amp;H)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Methods…</source>
      <translation>方法(&amp;M)…</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;Show the Tour</source>
      <translation>顯示導覽(&amp;S)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>What's &amp;This?</source>
      <translation>這是什麼(&amp;T)？</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>Open &amp;Log Folder</source>
      <translation>開啟記錄檔資料夾(&amp;L)</translation>
    </message>
    <message>
      <location filename="desktop/actions.py" />
      <source>&amp;About GPU Planner</source>
      <translation>關於 GPU Planner(&amp;A)</translation>
    </message>
    <message>
      <location filename="desktop/appearance_menus.py" />
      <source>&amp;System</source>
      <translation>依系統(&amp;S)</translation>
    </message>
    <message>
      <location filename="desktop/appearance_menus.py" />
      <source>&amp;Light</source>
      <translation>淺色(&amp;L)</translation>
    </message>
    <message>
      <location filename="desktop/appearance_menus.py" />
      <source>&amp;Dark</source>
      <translation>深色(&amp;D)</translation>
    </message>
    <message>
      <location filename="desktop/background/compute.py" />
      <source>The project has no scenario. Add one to plan.</source>
      <translation>專案中沒有情境。新增一個情境即可開始規劃。</translation>
    </message>
    <message>
      <location filename="desktop/background/compute_worker.py" />
      <source>This number is not in the plan at hand any more. Choose one of those that are shown now.</source>
      <translation>目前的方案中已沒有這個數字。請選擇現在顯示的數字。</translation>
    </message>
    <message>
      <location filename="desktop/background/decider.py" />
      <source>Compare</source>
      <translation>比較</translation>
    </message>
    <message>
      <location filename="desktop/background/decider.py" />
      <source>Phases</source>
      <translation>階段增益</translation>
    </message>
    <message>
      <location filename="desktop/background/decider.py" />
      <source>Calibrate</source>
      <translation>校準</translation>
    </message>
    <message>
      <location filename="desktop/background/decider.py" />
      <source>Fleets</source>
      <translation>機群</translation>
    </message>
    <message>
      <location filename="desktop/background/decider.py" />
      <source>Uncertainty</source>
      <translation>不確定性</translation>
    </message>
    <message>
      <location filename="desktop/background/load_simulator.py" />
      <source>Simulating load</source>
      <translation>正在模擬負載</translation>
    </message>
    <message>
      <location filename="desktop/background/load_simulator.py" />
      <source>Sizing the fleet</source>
      <translation>正在決定機群規模</translation>
    </message>
    <message>
      <location filename="desktop/background/load_simulator.py" />
      <source>Stress tests</source>
      <translation>壓力測試</translation>
    </message>
    <message>
      <location filename="desktop/background/load_simulator.py" />
      <source>Shared or separate pools</source>
      <translation>共用或分離的資源池</translation>
    </message>
    <message>
      <location filename="desktop/background/load_simulator.py" />
      <source>Searching by targets</source>
      <translation>正在依目標搜尋</translation>
    </message>
    <message>
      <location filename="desktop/background/load_simulator.py" />
      <source>Reading the trace</source>
      <translation>正在讀取紀錄</translation>
    </message>
    <message>
      <location filename="desktop/background/report_export.py" />
      <source>plan</source>
      <translation>方案</translation>
    </message>
    <message>
      <location filename="desktop/background/report_export.py" />
      <source>Export report</source>
      <translation>匯出報告</translation>
    </message>
    <message>
      <location filename="desktop/background/report_export.py" />
      <source>Computing every scenario in depth…</source>
      <translation>正在深入計算每個情境…</translation>
    </message>
    <message>
      <location filename="desktop/background/report_export.py" />
      <source>Cancel</source>
      <translation>取消</translation>
    </message>
    <message>
      <location filename="desktop/background/report_export.py" />
      <source>Drawing plots…</source>
      <translation>正在繪製圖表…</translation>
    </message>
    <message>
      <location filename="desktop/background/report_export.py" />
      <source>Writing {name}…</source>
      <translation>正在寫入 {name}…</translation>
    </message>
    <message>
      <location filename="desktop/background/report_export.py" />
      <source>Open</source>
      <translation>開啟</translation>
    </message>
    <message>
      <location filename="desktop/background/report_export.py" />
      <source>The report is in {path}</source>
      <translation>報告位於 {path}</translation>
    </message>
    <message>
      <location filename="desktop/clear_button.py" />
      <source>Clear</source>
      <translation>清除</translation>
    </message>
    <message>
      <location filename="desktop/command_palette.py" />
      <source>Commands</source>
      <translation>命令</translation>
    </message>
    <message>
      <location filename="desktop/command_palette.py" />
      <source>Type a command, a page, a scenario, an input or an accelerator</source>
      <translation>輸入命令、頁面、情境、輸入欄位或加速器</translation>
    </message>
    <message>
      <location filename="desktop/command_palette.py" />
      <source>Find a command</source>
      <translation>尋找命令</translation>
    </message>
    <message>
      <location filename="desktop/command_palette.py" />
      <source>Commands that fit</source>
      <translation>符合的命令</translation>
    </message>
    <message>
      <location filename="desktop/command_palette.py" />
      <source>Nothing fits “{typed}”. Part of a name is enough: of a command, a page, an input, an accelerator.</source>
      <translation>沒有符合「{typed}」的項目。輸入部分名稱即可：命令、頁面、輸入欄位或加速器。</translation>
    </message>
    <message>
      <location filename="desktop/command_palette.py" />
      <source>Methods</source>
      <translation>方法</translation>
    </message>
    <message>
      <location filename="desktop/commands.py" />
      <source>Model configurations (*.json)</source>
      <translation>模型設定檔 (*.json)</translation>
    </message>
    <message>
      <location filename="desktop/commands.py" />
      <source>All files (*)</source>
      <translation>所有檔案 (*)</translation>
    </message>
    <message>
      <location filename="desktop/commands.py" />
      <source>Import model configuration</source>
      <translation>匯入模型設定</translation>
    </message>
    <message>
      <location filename="desktop/commands.py" />
      <source>Use {model}</source>
      <translation>使用 {model}</translation>
    </message>
    <message>
      <location filename="desktop/commands.py" />
      <source>Add scenario</source>
      <translation>新增情境</translation>
    </message>
    <message>
      <location filename="desktop/commands.py" />
      <source>Duplicate scenario</source>
      <translation>複製情境</translation>
    </message>
    <message>
      <location filename="desktop/commands.py" />
      <source>Remove scenario</source>
      <translation>移除情境</translation>
    </message>
    <message>
      <location filename="desktop/commands.py" />
      <source>Move scenario up</source>
      <translation>情境上移</translation>
    </message>
    <message>
      <location filename="desktop/commands.py" />
      <source>Move scenario down</source>
      <translation>情境下移</translation>
    </message>
    <message>
      <location filename="desktop/commands.py" />
      <source>Leave out training</source>
      <translation>不含訓練</translation>
    </message>
    <message>
      <location filename="desktop/commands.py" />
      <source>Leave out serving</source>
      <translation>不含推論服務</translation>
    </message>
    <message>
      <location filename="desktop/commands.py" />
      <source>Use the current catalogue</source>
      <translation>改用目前的型錄</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>Remove measurements</source>
      <translation>移除量測</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>Import measurements</source>
      <translation>匯入量測</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>Reading measurements</source>
      <translation>正在讀取量測</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>Import {file}</source>
      <translation>匯入 {file}</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>Measurements (*.gpumeasure)</source>
      <translation>量測資料 (*.gpumeasure)</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>Save measurements</source>
      <translation>儲存量測</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>Python (*.py)</source>
      <translation>Python (*.py)</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>Save the probe</source>
      <translation>儲存探測程式</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>Change measurements</source>
      <translation>變更量測</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>{file} is not read: the catalogue is not there yet. Try again soon.</source>
      <translation>未讀取 {file}：目錄尚未載入，請稍後再試。</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>Carry {file} to the machine and run it there: python {file}. Then drop its JSON file here.</source>
      <translation>將 {file} 帶到該機器上執行：python {file}。再將其 JSON 檔案拖放到這裡。</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>{what} {value!r} is not known: write it as the catalogue does, or add it there.</source>
      <translation>不認得{what} {value!r}：請照型錄的寫法填寫，或先加入型錄。</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>In the project already, and not counted twice: {names}.</source>
      <translation>已在專案中，不重複計算：{names}。</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>The run counts only when you say its {names}: fill it in on the page Calibrate.</source>
      <translation>這筆執行要等您補上「{names}」才會採計：請在「校準」頁填寫。</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>{refused} of {count} runs count only when you say their {names}: fill it in on the page Calibrate.</source>
      <translation>{count} 筆執行中有 {refused} 筆要等您補上「{names}」才會採計：請在「校準」頁填寫。</translation>
    </message>
    <message>
      <location filename="desktop/controls/calibrate.py" />
      <source>Reading was given up.</source>
      <translation>已放棄讀取。</translation>
    </message>
    <message>
      <location filename="desktop/controls/decision.py" />
      <source>&amp;Overlay Other Scenarios</source>
      <translation>疊加其他情境(&amp;O)</translation>
    </message>
    <message>
      <location filename="desktop/controls/decision.py" />
      <source>Draw the other scenarios' curves into the plots of Load and Memory</source>
      <translation>將其他情境的曲線畫進「負載」與「記憶體」的圖中</translation>
    </message>
    <message>
      <location filename="desktop/controls/decision.py" />
      <source>Try again</source>
      <translation>重試</translation>
    </message>
    <message>
      <location filename="desktop/controls/load.py" />
      <source>Traffic traces (*.csv *.jsonl)</source>
      <translation>流量紀錄 (*.csv *.jsonl)</translation>
    </message>
    <message>
      <location filename="desktop/controls/load.py" />
      <source>Import traffic trace</source>
      <translation>匯入流量紀錄</translation>
    </message>
    <message>
      <location filename="desktop/controls/load.py" />
      <source>Add request class {name}</source>
      <translation>新增請求類別 {name}</translation>
    </message>
    <message>
      <location filename="desktop/controls/load.py" />
      <source>Plan with its figures</source>
      <translation>用其數字規劃</translation>
    </message>
    <message>
      <location filename="desktop/controls/load.py" />
      <source>Plan with trace {name}</source>
      <translation>以紀錄 {name} 規劃</translation>
    </message>
    <message>
      <location filename="desktop/controls/load.py" />
      <source>{name}: {count} requests in {time}, {rate}; replayed in the simulation.</source>
      <translation>{name}：{time} 內 {count} 個請求，{rate}；將在模擬中重播。</translation>
    </message>
    <message>
      <location filename="desktop/controls/load.py" />
      <source>line {line}: {what}</source>
      <translation>第 {line} 行：{what}</translation>
    </message>
    <message>
      <location filename="desktop/controls/load.py" />
      <source>{count} of {rows} rows hold no request ({shown}{more}).</source>
      <translation>{rows} 列中有 {count} 列不含請求（{shown}{more}）。</translation>
    </message>
    <message>
      <location filename="desktop/controls/own_catalog.py" />
      <source>In your catalogue: {name}.</source>
      <translation>已加入您的型錄：{name}。</translation>
    </message>
    <message>
      <location filename="desktop/controls/own_catalog.py" />
      <source>Out of your catalogue: {name}.</source>
      <translation>已移出您的型錄：{name}。</translation>
    </message>
    <message>
      <location filename="desktop/controls/own_catalog.py" />
      <source>Price lists (*.csv *.tsv *.txt)</source>
      <translation>價目表 (*.csv *.tsv *.txt)</translation>
    </message>
    <message>
      <location filename="desktop/controls/own_catalog.py" />
      <source>Import price list</source>
      <translation>匯入價目表</translation>
    </message>
    <message>
      <location filename="desktop/controls/own_catalog.py" />
      <source>Your catalogue is as it was before.</source>
      <translation>您的型錄已恢復原狀。</translation>
    </message>
    <message>
      <location filename="desktop/controls/own_catalog.py" />
      <source>Undo</source>
      <translation>復原</translation>
    </message>
    <message>
      <location filename="desktop/controls/own_catalog.py" />
      <source>{count} prices taken from {name}.</source>
      <translation>已由 {name} 採用 {count} 個價格。</translation>
    </message>
    <message>
      <location filename="desktop/controls/pack.py" />
      <source>Catalogue packs (*.gpupack)</source>
      <translation>型錄包 (*.gpupack)</translation>
    </message>
    <message>
      <location filename="desktop/controls/pack.py" />
      <source>Import catalogue pack</source>
      <translation>匯入型錄包</translation>
    </message>
    <message>
      <location filename="desktop/controls/pack.py" />
      <source>In force now: {pack}.</source>
      <translation>目前生效：{pack}。</translation>
    </message>
    <message>
      <location filename="desktop/controls/pack.py" />
      <source>No catalogue pack is in force.</source>
      <translation>目前沒有生效的型錄包。</translation>
    </message>
    <message>
      <location filename="desktop/controls/pack.py" />
      <source>Taken back: {pack}.</source>
      <translation>已撤回：{pack}。</translation>
    </message>
    <message>
      <location filename="desktop/controls/pack.py" />
      <source>Take Back</source>
      <translation>撤回</translation>
    </message>
    <message>
      <location filename="desktop/controls/recovery.py" />
      <source>There is no unsaved work to recover.</source>
      <translation>沒有可復原的未儲存工作。</translation>
    </message>
    <message>
      <location filename="desktop/controls/recovery.py" />
      <source>Work from an earlier run was not saved.</source>
      <translation>先前執行時有工作尚未儲存。</translation>
    </message>
    <message>
      <location filename="desktop/controls/recovery.py" />
      <source>Recover…</source>
      <translation>復原…</translation>
    </message>
    <message>
      <location filename="desktop/controls/recovery.py" />
      <source>Unsaved work cannot be kept for a crash: {reason}</source>
      <translation>無法為當機保留未儲存的工作：{reason}</translation>
    </message>
    <message>
      <location filename="desktop/controls/training.py" />
      <source>one device</source>
      <translation>單一裝置</translation>
    </message>
    <message>
      <location filename="desktop/controls/training.py" />
      <source>Use layout {layout}</source>
      <translation>使用配置 {layout}</translation>
    </message>
    <message>
      <location filename="desktop/controls/training.py" />
      <source>Leave the layout to the search</source>
      <translation>由搜尋決定配置</translation>
    </message>
    <message>
      <location filename="desktop/controls/unread.py" />
      <source>Saved.</source>
      <translation>已儲存。</translation>
    </message>
    <message>
      <location filename="desktop/controls/unread.py" />
      <source>Show</source>
      <translation>顯示</translation>
    </message>
    <message>
      <location filename="desktop/crash.py" />
      <source>GPU Planner could not start.</source>
      <translation>GPU Planner 無法啟動。</translation>
    </message>
    <message>
      <location filename="desktop/crash.py" />
      <source>Your files are as they were. Unpack or install the program again; if that does not help, send its log folder to whom you have the program from: %1</source>
      <translation>您的檔案沒有變動。請重新解壓縮或安裝本程式；若仍無法解決，請將記錄檔資料夾寄給提供本程式的人：%1</translation>
    </message>
    <message>
      <location filename="desktop/crash.py" />
      <source>GPU Planner met a fault of its own. Your project is still open.</source>
      <translation>GPU Planner 本身發生錯誤。您的專案仍開啟著。</translation>
    </message>
    <message>
      <location filename="desktop/crash.py" />
      <source>GPU Planner met a fault of its own.</source>
      <translation>GPU Planner 本身發生錯誤。</translation>
    </message>
    <message>
      <location filename="desktop/crash.py" />
      <source>Save your work now, then go on or restart. The log, without anything of your project, is in %1</source>
      <translation>請先儲存您的工作，再繼續或重新啟動。記錄檔不含您專案的任何內容，位於 %1</translation>
    </message>
    <message>
      <location filename="desktop/crash.py" />
      <source>&amp;Continue</source>
      <translation>繼續(&amp;C)</translation>
    </message>
    <message>
      <location filename="desktop/crash.py" />
      <source>&amp;Save…</source>
      <translation>儲存(&amp;S)…</translation>
    </message>
    <message>
      <location filename="desktop/crash.py" />
      <source>Something went wrong</source>
      <translation>發生錯誤</translation>
    </message>
    <message>
      <location filename="desktop/desk.py" />
      <source>Inputs</source>
      <translation>輸入</translation>
    </message>
    <message>
      <location filename="desktop/desk.py" />
      <source>Why this number?</source>
      <translation>為什麼是這個數字？</translation>
    </message>
    <message>
      <location filename="desktop/desk.py" />
      <source>&amp;Inputs</source>
      <translation>輸入(&amp;I)</translation>
    </message>
    <message>
      <location filename="desktop/desk.py" />
      <source>&amp;Why This Number?</source>
      <translation>為什麼是這個數字？(&amp;W)</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/methods.py" />
      <source>About GPU Planner</source>
      <translation>關於 GPU Planner</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/methods.py" />
      <source>Which accelerators to buy or rent to train and to serve machine-learning models. Works offline.</source>
      <translation>訓練與服務機器學習模型，該買或該租哪些加速器。離線即可使用。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/methods.py" />
      <source>Licences</source>
      <translation>授權條款</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/methods.py" />
      <source>GPU Planner is licensed under the Apache License 2.0.

Qt and PySide6 are used under the GNU Lesser General Public License, version 3, linked dynamically: the libraries in the program's folder may be exchanged for others. Their source is at https://download.qt.io.
pyqtgraph: MIT License. NumPy and msgspec: BSD 3-Clause License. platformdirs: MIT License. PyNaCl: Apache License 2.0 (with libsodium: ISC License). A build's folder “licences” holds the licences of all parts.
The typeface is Inter, under the SIL Open Font License 1.1:</source>
      <translation>GPU Planner 以 Apache License 2.0 授權。

Qt 與 PySide6 依 GNU 較寬鬆通用公共授權條款 (LGPL) 第 3 版使用，採動態連結：程式資料夾中的函式庫可以換成其他版本。其原始碼位於 https://download.qt.io。
pyqtgraph：MIT 授權條款。NumPy 與 msgspec：BSD 3-Clause 授權條款。platformdirs：MIT 授權條款。PyNaCl：Apache License 2.0（含 libsodium：ISC 授權條款）。發行版本的「licences」資料夾收有各部分的授權條款。
字型為 Inter，依 SIL Open Font License 1.1 授權：</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>&amp;Import</source>
      <translation>匯入(&amp;I)</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>Launch flags</source>
      <translation>啟動參數</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>Engine or framework</source>
      <translation>引擎或框架</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>Command</source>
      <translation>指令</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>&amp;Copy</source>
      <translation>複製(&amp;C)</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>Copy the command</source>
      <translation>複製指令</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>For</source>
      <translation>用於</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>There is no plan that could be started.</source>
      <translation>沒有可啟動的方案。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>Flag</source>
      <translation>參數</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>Settings of the plan</source>
      <translation>方案的設定</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>median</source>
      <translation>中位數</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>least</source>
      <translation>最小</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>most</source>
      <translation>最大</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>Columns of the measurements</source>
      <translation>量測資料的欄位</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>The headings of {name} do not say what was measured. Choose it for each column that counts.</source>
      <translation>{name} 的欄位標題沒有說明量測了什麼。請為每個要使用的欄位選擇其內容。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>First values</source>
      <translation>前幾個值</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>Holds</source>
      <translation>內容</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>Statistic</source>
      <translation>統計量</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>Columns of the table</source>
      <translation>表格的欄位</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>What {heading} holds</source>
      <translation>{heading} 的內容</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>Statistic of {heading}</source>
      <translation>{heading} 的統計量</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>Unit of {heading}</source>
      <translation>{heading} 的單位</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>Choose at least one column that holds a figure, such as TTFT or step time.</source>
      <translation>請至少選擇一個含有數值的欄位，例如 TTFT 或步驟時間。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>{first} and {second} can't both hold {what}.</source>
      <translation>{first} 與 {second} 不能都是 {what}。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/methods.py" />
      <source>Search the methods</source>
      <translation>搜尋方法</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/methods.py" />
      <source>No method holds all of these words.</source>
      <translation>沒有任何方法包含所有這些字詞。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/own_device.py" />
      <source>Edit own device</source>
      <translation>編輯自有裝置</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/own_device.py" />
      <source>Add own device</source>
      <translation>新增自有裝置</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/own_device.py" />
      <source>{name}, own</source>
      <translation>{name}，自有</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/own_device.py" />
      <source>Such as: vendor's data sheet of 2026-10</source>
      <translation>例如：廠商 2026-10 的規格表</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/own_device.py" />
      <source>Where the figures were read</source>
      <translation>數字的出處</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/own_device.py" />
      <source>What differs from what was saved last is marked; the arrow takes it back.</source>
      <translation>與上次儲存不同之處會加註標記；按箭頭可還原。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/own_device.py" />
      <source>A copy of {name}. Change what the data sheet says otherwise; the arrow takes a change back.</source>
      <translation>{name} 的複本。請依規格表修改不同之處；按箭頭可還原變更。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/own_device.py" />
      <source>S&amp;ource</source>
      <translation>來源(&amp;O)</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/own_device.py" />
      <source>&amp;Save into catalogue</source>
      <translation>存入型錄(&amp;S)</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/own_device.py" />
      <source>The device needs a name.</source>
      <translation>裝置需要名稱。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/own_device.py" />
      <source>The catalogue has a device named {name} already.</source>
      <translation>型錄中已有名為 {name} 的裝置。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/own_device.py" />
      <source>Vendor and architecture must be named: efficiencies are taken from relatives.</source>
      <translation>必須填寫廠商與架構：效率取自相近的裝置。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/own_device.py" />
      <source>“{date}” is no date; 2026-10-31 is one.</source>
      <translation>「{date}」不是日期；2026-10-31 才是。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/own_device.py" />
      <source>Use {value}</source>
      <translation>使用 {value}</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>Signed by {name}, key {fingerprint}.</source>
      <translation>由 {name} 簽署，金鑰 {fingerprint}。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>It is older than one that is in force: {pack}.</source>
      <translation>它比目前生效的 {pack} 還舊。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>Entry</source>
      <translation>項目</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>Field</source>
      <translation>欄位</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>Now</source>
      <translation>現在</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>Changes</source>
      <translation>變更</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>Projects keep the figures that they were saved with.</source>
      <translation>專案會保留儲存當時的數字。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>&amp;Put in force</source>
      <translation>使其生效(&amp;P)</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>What prices are for</source>
      <translation>價格的對象</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>Date of the prices</source>
      <translation>價格日期</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>Prices are for all devices of a row together</source>
      <translation>價格為該列所有裝置合計</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>Only rows with a remark</source>
      <translation>只列有備註的列</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>Column of: {field}</source>
      <translation>欄位對應：{field}</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>no column</source>
      <translation>無此欄</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>Where a row says nothing:</source>
      <translation>該列未註明時：</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>&amp;Take these prices</source>
      <translation>採用這些價格(&amp;T)</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>Dollars for one {currency}</source>
      <translation>1 {currency} 兌美元</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>rate</source>
      <translation>匯率</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>1 {currency} is</source>
      <translation>1 {currency} 等於</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/price_list.py" />
      <source>Choose the column for: {part}.</source>
      <translation>請選擇欄位：{part}。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/recovery.py" />
      <source>Unsaved work was found</source>
      <translation>發現未儲存的工作</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/recovery.py" />
      <source>GPU Planner ended last time before this work was saved. Restoring it changes no file.</source>
      <translation>上次 GPU Planner 在這些工作儲存前就結束了。還原不會變更任何檔案。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/recovery.py" />
      <source>Unsaved work</source>
      <translation>未儲存的工作</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/recovery.py" />
      <source>&amp;Restore</source>
      <translation>還原(&amp;R)</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/recovery.py" />
      <source>Restore &amp;all</source>
      <translation>全部還原(&amp;A)</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/recovery.py" />
      <source>Each in a window of its own</source>
      <translation>各自在獨立視窗中開啟</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/recovery.py" />
      <source>&amp;Delete</source>
      <translation>刪除(&amp;D)</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/recovery.py" />
      <source>&amp;Later</source>
      <translation>稍後(&amp;L)</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/recovery.py" />
      <source>Untitled</source>
      <translation>未命名</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>Scenarios</source>
      <translation>情境</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>The candidates that the ranking recommends</source>
      <translation>排名所推薦的候選方案</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>The candidates selected in the tables: {which}</source>
      <translation>表格中選取的候選方案：{which}</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>Choose file…</source>
      <translation>選擇檔案…</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>Scenarios; two or more are compared in the report as well</source>
      <translation>情境；選兩個以上時，報告也會加以比較</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/deploy.py" />
      <source>The report is about</source>
      <translation>報告的對象</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>Time of the request</source>
      <translation>請求的時間</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>Tokens of the prompt</source>
      <translation>提示 token 數</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>Tokens of the answer</source>
      <translation>回答 token 數</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>Prompt tokens found in the cache</source>
      <translation>在快取中找到的提示 token 數</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>Session or conversation</source>
      <translation>工作階段或對話</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>as the heading says, else seconds</source>
      <translation>依欄名，否則為秒</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>seconds</source>
      <translation>秒</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>milliseconds</source>
      <translation>毫秒</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>microseconds</source>
      <translation>微秒</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>nanoseconds</source>
      <translation>奈秒</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>Columns of the trace</source>
      <translation>軌跡的欄位</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>Unit of the time</source>
      <translation>時間單位</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>It is a &amp;price list…</source>
      <translation>這是價目表(&amp;P)…</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>It holds &amp;measurements…</source>
      <translation>它是量測資料(&amp;M)…</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>choose…</source>
      <translation>請選擇…</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>not in the table</source>
      <translation>表中沒有</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>The headings of {name} do not say which columns hold the requests.</source>
      <translation>{name} 的欄名未說明哪些欄位是請求資料。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>in</source>
      <translation>單位</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>{first} and {second} can't both be in {heading}.</source>
      <translation>{first}與{second}不能同在 {heading} 欄。</translation>
    </message>
    <message>
      <location filename="desktop/dialogs/measurement_columns.py" />
      <source>First rows of the table</source>
      <translation>表格的前幾列</translation>
    </message>
    <message>
      <location filename="desktop/dock_head.py" />
      <source>Window of its own, or back</source>
      <translation>移到獨立視窗，或移回</translation>
    </message>
    <message>
      <location filename="desktop/dock_head.py" />
      <source>Put away; the View menu brings it back</source>
      <translation>收起；可由「檢視」選單重新開啟</translation>
    </message>
    <message>
      <location filename="desktop/editors/catalog_choices.py" />
      <source>Not set</source>
      <translation>未設定</translation>
    </message>
    <message>
      <location filename="desktop/editors/choices_edit.py" />
      <source>Search…</source>
      <translation>搜尋…</translation>
    </message>
    <message>
      <location filename="desktop/editors/field_notes.py" />
      <source>Not in use: the load by hour under More says it.</source>
      <translation>未使用：已由「更多」之下的每小時負載決定。</translation>
    </message>
    <message>
      <location filename="desktop/editors/field_notes.py" />
      <source>A day has 24 hours; these are {count} numbers, spread evenly over it.</source>
      <translation>一天有 24 小時；這裡有 {count} 個數字，會平均分配到一天。</translation>
    </message>
    <message>
      <location filename="desktop/editors/field_notes.py" />
      <source>A week has 7 days; these are {count} numbers: each day counts with the mean of its own.</source>
      <translation>一週有 7 天；這裡有 {count} 個數值：每一天以其各數值的平均計算。</translation>
    </message>
    <message>
      <location filename="desktop/editors/field_notes.py" />
      <source>A week has 7 days; these are {count} numbers, from Monday: the other days are taken to have no load.</source>
      <translation>一週有 7 天；這裡有 {count} 個數值，從星期一開始：其餘的日子視為沒有負載。</translation>
    </message>
    <message>
      <location filename="desktop/editors/field_row.py" />
      <source>&amp;Back to {default}</source>
      <translation>還原為 {default}(&amp;B)</translation>
    </message>
    <message>
      <location filename="desktop/editors/field_row.py" />
      <source>Back to {default}</source>
      <translation>還原為 {default}</translation>
    </message>
    <message>
      <location filename="desktop/editors/field_row.py" />
      <source>Differs from its default.</source>
      <translation>與預設值不同。</translation>
    </message>
    <message>
      <location filename="desktop/editors/field_row.py" />
      <source>Reset {title} to its default</source>
      <translation>將「{title}」重設為預設值</translation>
    </message>
    <message>
      <location filename="desktop/editors/field_row.py" />
      <source>Unit: {unit}</source>
      <translation>單位：{unit}</translation>
    </message>
    <message>
      <location filename="desktop/editors/field_row.py" />
      <source>A range may be typed as 20..60, a spread as 40 ±10.</source>
      <translation>範圍可輸入為 20..60，離散程度可輸入為 40 ±10。</translation>
    </message>
    <message>
      <location filename="desktop/editors/field_row.py" />
      <source>nothing set</source>
      <translation>未設定</translation>
    </message>
    <message>
      <location filename="desktop/editors/field_row.py" />
      <source>the default</source>
      <translation>預設值</translation>
    </message>
    <message>
      <location filename="desktop/editors/kinds.py" />
      <source>Usual one</source>
      <translation>一般值</translation>
    </message>
    <message>
      <location filename="desktop/editors/kinds.py" />
      <source>not set</source>
      <translation>未設定</translation>
    </message>
    <message>
      <location filename="desktop/editors/list_edit.py" />
      <source>Add request class</source>
      <translation>新增請求類別</translation>
    </message>
    <message>
      <location filename="desktop/editors/list_edit.py" />
      <source>Add target</source>
      <translation>新增目標</translation>
    </message>
    <message>
      <location filename="desktop/editors/list_edit.py" />
      <source>Add layer group</source>
      <translation>新增層群組</translation>
    </message>
    <message>
      <location filename="desktop/editors/list_edit.py" />
      <source>Add rate</source>
      <translation>新增匯率</translation>
    </message>
    <message>
      <location filename="desktop/editors/list_edit.py" />
      <source>Add quoted price</source>
      <translation>新增報價</translation>
    </message>
    <message>
      <location filename="desktop/editors/list_edit.py" />
      <source>Remove entry {number}</source>
      <translation>移除第 {number} 項</translation>
    </message>
    <message>
      <location filename="desktop/editors/list_edit.py" />
      <source>Copy entry {number}</source>
      <translation>複製第 {number} 項</translation>
    </message>
    <message>
      <location filename="desktop/editors/list_edit.py" />
      <source>no mixer</source>
      <translation>無混合層</translation>
    </message>
    <message>
      <location filename="desktop/editors/list_edit.py" />
      <source>no feed-forward</source>
      <translation>無前饋層</translation>
    </message>
    <message>
      <location filename="desktop/editors/list_edit.py" />
      <source>Add</source>
      <translation>新增</translation>
    </message>
    <message>
      <location filename="desktop/editors/model_editor.py" />
      <source>From cata&amp;logue…</source>
      <translation>從型錄選取(&amp;L)…</translation>
    </message>
    <message>
      <location filename="desktop/editors/model_editor.py" />
      <source>&amp;Import config.json…</source>
      <translation>匯入 config.json(&amp;I)…</translation>
    </message>
    <message>
      <location filename="desktop/editors/model_editor.py" />
      <source>Search models…</source>
      <translation>搜尋模型…</translation>
    </message>
    <message>
      <location filename="desktop/editors/model_summary.py" />
      <source>Not understood:</source>
      <translation>無法解讀：</translation>
    </message>
    <message>
      <location filename="desktop/editors/model_summary.py" />
      <source>Assumed:</source>
      <translation>假設：</translation>
    </message>
    <message>
      <location filename="desktop/editors/model_summary.py" />
      <source>Parameters</source>
      <translation>參數</translation>
    </message>
    <message>
      <location filename="desktop/editors/model_summary.py" />
      <source>Active per token</source>
      <translation>每 token 活躍參數</translation>
    </message>
    <message>
      <location filename="desktop/editors/model_summary.py" />
      <source>Checkpoint</source>
      <translation>檢查點</translation>
    </message>
    <message>
      <location filename="desktop/editors/model_summary.py" />
      <source>{size} per token in BF16</source>
      <translation>BF16 時每個 token {size}</translation>
    </message>
    <message>
      <location filename="desktop/editors/model_summary.py" />
      <source>{size} per token in BF16, {less} beyond the windows</source>
      <translation>BF16 時每個 token {size}，超出視窗後 {less}</translation>
    </message>
    <message>
      <location filename="desktop/editors/numbers_edit.py" />
      <source>Numbers stand between blanks: 1 2.5 3.</source>
      <translation>數字之間以空白分隔：1 2.5 3。</translation>
    </message>
    <message>
      <location filename="desktop/editors/sliding_edit.py" />
      <source>{name}, slider</source>
      <translation>{name}，滑桿</translation>
    </message>
    <message>
      <location filename="desktop/editors/struct_form.py" />
      <source>More</source>
      <translation>更多</translation>
    </message>
    <message>
      <location filename="desktop/editors/variant_edit.py" />
      <source>None</source>
      <translation>無</translation>
    </message>
    <message>
      <location filename="desktop/editors/variant_words.py" />
      <source>Latent attention (MLA)</source>
      <translation>潛在注意力 (MLA)</translation>
    </message>
    <message>
      <location filename="desktop/editors/variant_words.py" />
      <source>Compressed attention</source>
      <translation>壓縮注意力</translation>
    </message>
    <message>
      <location filename="desktop/editors/variant_words.py" />
      <source>Linear attention</source>
      <translation>線性注意力</translation>
    </message>
    <message>
      <location filename="desktop/editors/variant_words.py" />
      <source>State space (Mamba)</source>
      <translation>狀態空間 (Mamba)</translation>
    </message>
    <message>
      <location filename="desktop/editors/variant_words.py" />
      <source>Dense</source>
      <translation>稠密</translation>
    </message>
    <message>
      <location filename="desktop/editors/variant_words.py" />
      <source>Present</source>
      <translation>有</translation>
    </message>
    <message>
      <location filename="desktop/editors/variant_words.py" />
      <source>Known</source>
      <translation>已知</translation>
    </message>
    <message>
      <location filename="desktop/editors/variant_words.py" />
      <source>Stated</source>
      <translation>所述值</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>Steady round the clock</source>
      <translation>日夜平穩</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>Jobs in a queue, worldwide users, other programs.</source>
      <translation>佇列中的工作、全球使用者、其他程式。</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>It follows the day</source>
      <translation>隨一天起伏</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>Busy hours and quiet nights, as with people of one region.</source>
      <translation>白天忙碌、夜間安靜，如同一地區的使用者。</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>In bursts</source>
      <translation>突發</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>Quiet for long, then many at once: campaigns, events, batch submissions.</source>
      <translation>平時安靜，再一次湧入：行銷活動、事件、批次送件。</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>No</source>
      <translation>否</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>Somebody waits for it, or a lost run could not be made up for.</source>
      <translation>有人在等候，或中斷的訓練無法補回。</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>Yes</source>
      <translation>是</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>Training goes on from a checkpoint; requests can be sent again.</source>
      <translation>訓練可由檢查點繼續；請求可重新送出。</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>Guided start</source>
      <translation>引導式開始</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>&amp;Plan it</source>
      <translation>開始規劃(&amp;P)</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>Choose the model, and what you want to do with it.</source>
      <translation>選擇模型，以及您想用它做什麼。</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>&amp;Serve requests</source>
      <translation>提供推論服務(&amp;S)</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>&amp;Train it</source>
      <translation>訓練(&amp;T)</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>Choose what comes nearest, then put in your own figures.</source>
      <translation>選擇最接近的一項，再填入您自己的數字。</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>It decides what is committed, what is rented by the hour, and how much waits.</source>
      <translation>這會決定哪些容量要承諾租用、哪些按時租用，以及有多少工作可以等候。</translation>
    </message>
    <message>
      <location filename="desktop/guided_start.py" />
      <source>It decides whether spot capacity is priced, and whether a spare is kept.</source>
      <translation>這會決定是否採計 Spot 容量的價格，以及是否保留備援。</translation>
    </message>
    <message>
      <location filename="desktop/headline_check.py" />
      <source>{count} of the results that were saved with this project come out otherwise here, because catalogue or calibration differ. Saving keeps the new ones.</source>
      <translation>此專案隨檔儲存的結果中，有 {count} 項在此處算出不同的值，因為型錄或校準不同。儲存後將保留新的結果。</translation>
    </message>
    <message>
      <location filename="desktop/input_pane.py" />
      <source>Add a scenario</source>
      <translation>新增情境</translation>
    </message>
    <message>
      <location filename="desktop/input_pane.py" />
      <source>Rename scenario</source>
      <translation>重新命名情境</translation>
    </message>
    <message>
      <location filename="desktop/input_pane.py" />
      <source>Move scenario</source>
      <translation>移動情境</translation>
    </message>
    <message>
      <location filename="desktop/input_pane.py" />
      <source>Project</source>
      <translation>專案</translation>
    </message>
    <message>
      <location filename="desktop/main_window.py" />
      <source>Loading the catalogue…</source>
      <translation>正在載入型錄…</translation>
    </message>
    <message>
      <location filename="desktop/main_window.py" />
      <source>&amp;Undo</source>
      <translation>復原(&amp;U)</translation>
    </message>
    <message>
      <location filename="desktop/main_window.py" />
      <source>&amp;Redo</source>
      <translation>重做(&amp;R)</translation>
    </message>
    <message>
      <location filename="desktop/main_window.py" />
      <source>No recent projects</source>
      <translation>沒有最近的專案</translation>
    </message>
    <message>
      <location filename="desktop/main_window.py" />
      <source>&amp;Clear List</source>
      <translation>清除清單(&amp;C)</translation>
    </message>
    <message>
      <location filename="desktop/main_window.py" />
      <source>Save As…</source>
      <translation>另存新檔…</translation>
    </message>
    <message>
      <location filename="desktop/main_window.py" />
      <source>“{name}” was changed on disk by another program.</source>
      <translation>「{name}」已在磁碟上被其他程式變更。</translation>
    </message>
    <message>
      <location filename="desktop/main_window.py" />
      <source>Read it again</source>
      <translation>重新讀取</translation>
    </message>
    <message>
      <location filename="desktop/message_bar.py" />
      <source>Close the message</source>
      <translation>關閉訊息</translation>
    </message>
    <message>
      <location filename="desktop/model_file.py" />
      <source>{count} things in {name} were not understood; they stand in the model's summary.</source>
      <translation>{name} 中有 {count} 項無法解讀，列於模型摘要中。</translation>
    </message>
    <message>
      <location filename="desktop/model_file.py" />
      <source>The checkpoint's index states {stated_bytes}, but {counted_bytes} are counted.</source>
      <translation>檢查點的索引記載 {stated_bytes}，但計得 {counted_bytes}。</translation>
    </message>
    <message>
      <location filename="desktop/opening.py" />
      <source>Open a project (.gpuplan), a model's config.json, a benchmark's result or log, recorded traffic (CSV, JSON lines), a price list (CSV) or a pack.</source>
      <translation>可開啟：專案（.gpuplan）、模型的 config.json、效能測試的結果或日誌、流量記錄（CSV、JSON lines）、價目表（CSV）或資料包。</translation>
    </message>
    <message>
      <location filename="desktop/opening.py" />
      <source>{count} of these are nothing that GPU Planner opens, {name} among them.</source>
      <translation>其中 {count} 個不是 GPU Planner 可開啟的項目，包括 {name}。</translation>
    </message>
    <message>
      <location filename="desktop/opening.py" />
      <source>{name} is a folder.</source>
      <translation>{name} 是資料夾。</translation>
    </message>
    <message>
      <location filename="desktop/opening.py" />
      <source>{name} is nothing that GPU Planner opens.</source>
      <translation>GPU Planner 無法開啟 {name}。</translation>
    </message>
    <message>
      <location filename="desktop/parts.py" />
      <source>This scenario serves no requests.</source>
      <translation>此情境沒有推論服務。</translation>
    </message>
    <message>
      <location filename="desktop/parts.py" />
      <source>Plan a service</source>
      <translation>規劃推論服務</translation>
    </message>
    <message>
      <location filename="desktop/parts.py" />
      <source>This scenario trains nothing.</source>
      <translation>此情境沒有訓練。</translation>
    </message>
    <message>
      <location filename="desktop/parts.py" />
      <source>Plan a training job</source>
      <translation>規劃訓練工作</translation>
    </message>
    <message>
      <location filename="desktop/parts.py" />
      <source>Money</source>
      <translation>金額</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Preferences</source>
      <translation>偏好設定</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Bring &amp;all back</source>
      <translation>全部還原(&amp;A)</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Every preference as it was at first; folders and projects stay as they are</source>
      <translation>所有偏好設定恢復為初始值；資料夾與專案不變</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Language and looks</source>
      <translation>語言與外觀</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Of the window, of reports and of exported plots.</source>
      <translation>套用於視窗、報告與匯出的圖表。</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>&amp;Numbers</source>
      <translation>數字格式(&amp;N)</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Marks of decimals and thousands. Files are written the same everywhere; typing takes both forms.</source>
      <translation>小數點與千分位符號。檔案的寫法在各地都相同；輸入時兩種寫法皆可。</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>As the system</source>
      <translation>跟隨系統</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Light</source>
      <translation>淺色</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Dark</source>
      <translation>深色</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Plots that are exported for print are light always.</source>
      <translation>供列印而匯出的圖表一律為淺色。</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Text &amp;size</source>
      <translation>文字大小(&amp;S)</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Of everything in the window, beside the scale of the screen.</source>
      <translation>套用於視窗內的所有文字，不影響螢幕縮放比例。</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>&amp;Reduced motion</source>
      <translation>減少動態效果(&amp;R)</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Nothing slides, fades or pulses.</source>
      <translation>不使用滑動、淡入淡出或閃動效果。</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Show the other s&amp;cenarios</source>
      <translation>顯示其他情境(&amp;C)</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Their curves stand behind those of the scenario at hand.</source>
      <translation>其曲線會顯示在目前情境的曲線後方。</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Axes</source>
      <translation>座標軸</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Forgets which axes you made logarithmic or linear, plot by plot.</source>
      <translation>清除您在各圖表中選擇的對數或線性座標軸。</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Draw as at &amp;first</source>
      <translation>恢復預設繪圖(&amp;F)</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Work</source>
      <translation>工作</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>&amp;Keep unsaved work</source>
      <translation>保留未儲存的工作(&amp;K)</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>So long after an edit, a copy is on disk that survives a crash. The project's file waits for Save.</source>
      <translation>編輯後經過這段時間，磁碟上會有一份當機後仍保留的副本。專案檔案則等到您儲存時才寫入。</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>after {time}</source>
      <translation>{time} 後</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>&amp;Begin where the last run ended</source>
      <translation>從上次結束處開始(&amp;B)</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Every window comes back, with work that is not saved: quitting does not ask about it then.</source>
      <translation>每個視窗都會恢復，包含尚未儲存的工作；結束程式時不再詢問。</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Folders</source>
      <translation>資料夾</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Your data</source>
      <translation>您的資料</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Own catalogue entries, packs and copies of unsaved work.</source>
      <translation>自訂的型錄項目、資料包與未儲存工作的副本。</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Settings</source>
      <translation>設定</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>What this dialog keeps; deleting it brings every preference back.</source>
      <translation>存放此對話方塊的內容；刪除後所有偏好設定會恢復預設值。</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Logs</source>
      <translation>記錄檔</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>What went wrong, for whom you have the program from.</source>
      <translation>記錄發生的問題，供程式提供者查閱。</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>Open the folder: {name}</source>
      <translation>開啟資料夾：{name}</translation>
    </message>
    <message>
      <location filename="desktop/preferences.py" />
      <source>As the system: {example}</source>
      <translation>跟隨系統：{example}</translation>
    </message>
    <message>
      <location filename="desktop/project_file.py" />
      <source>Open project</source>
      <translation>開啟專案</translation>
    </message>
    <message>
      <location filename="desktop/project_file.py" />
      <source>Save project</source>
      <translation>儲存專案</translation>
    </message>
    <message>
      <location filename="desktop/project_file.py" />
      <source>GPU Planner projects (*.gpuplan)</source>
      <translation>GPU Planner 專案 (*.gpuplan)</translation>
    </message>
    <message>
      <location filename="desktop/project_file.py" />
      <source>project</source>
      <translation>專案</translation>
    </message>
    <message>
      <location filename="desktop/project_tree.py" />
      <source>{part}: none</source>
      <translation>{part}：無</translation>
    </message>
    <message>
      <location filename="desktop/questions.py" />
      <source>Save the changes to “{name}”?</source>
      <translation>要儲存對「{name}」的變更嗎？</translation>
    </message>
    <message>
      <location filename="desktop/questions.py" />
      <source>What you changed since the last save is lost otherwise.</source>
      <translation>否則上次儲存後的變更將會遺失。</translation>
    </message>
    <message>
      <location filename="desktop/questions.py" />
      <source>&amp;Discard</source>
      <translation>不儲存(&amp;D)</translation>
    </message>
    <message>
      <location filename="desktop/questions.py" />
      <source>What you typed in a field was not taken and will be gone. Go on?</source>
      <translation>您在欄位中輸入的內容未被採用，繼續的話將會消失。要繼續嗎？</translation>
    </message>
    <message>
      <location filename="desktop/questions.py" />
      <source>Saving replaces those changes with yours. Another name keeps both.</source>
      <translation>儲存會以您的內容取代那些變更。另存新名則兩者都保留。</translation>
    </message>
    <message>
      <location filename="desktop/questions.py" />
      <source>&amp;Replace</source>
      <translation>取代(&amp;R)</translation>
    </message>
    <message>
      <location filename="desktop/questions.py" />
      <source>Give up what you entered?</source>
      <translation>要放棄輸入的內容嗎？</translation>
    </message>
    <message>
      <location filename="desktop/questions.py" />
      <source>This dialog closes, and nothing of it is kept.</source>
      <translation>對話框將關閉，不保留任何內容。</translation>
    </message>
    <message>
      <location filename="desktop/questions.py" />
      <source>&amp;Give up</source>
      <translation>放棄(&amp;G)</translation>
    </message>
    <message>
      <location filename="desktop/questions.py" />
      <source>Go &amp;on editing</source>
      <translation>繼續編輯(&amp;O)</translation>
    </message>
    <message>
      <location filename="desktop/questions.py" />
      <source>Bring every preference back to what it was at first?</source>
      <translation>要將所有偏好設定恢復為初始值嗎？</translation>
    </message>
    <message>
      <location filename="desktop/questions.py" />
      <source>Language, numbers, looks, plots and what happens at the start.</source>
      <translation>語言、數字、外觀、圖表，以及啟動時的行為。</translation>
    </message>
    <message>
      <location filename="desktop/questions.py" />
      <source>GPU Planner</source>
      <translation>GPU Planner</translation>
    </message>
    <message>
      <location filename="desktop/results_pane.py" />
      <source>Overview</source>
      <translation>總覽</translation>
    </message>
    <message>
      <location filename="desktop/results_pane.py" />
      <source>Roofline</source>
      <translation>Roofline</translation>
    </message>
    <message>
      <location filename="desktop/results_pane.py" />
      <source>Readiness</source>
      <translation>就緒度</translation>
    </message>
    <message>
      <location filename="desktop/results_pane.py" />
      <source>Catalogue</source>
      <translation>型錄</translation>
    </message>
    <message>
      <location filename="desktop/start_page.py" />
      <source>A 13B model, fine-tuned and then served: two plans side by side</source>
      <translation>13B 模型，先微調再提供服務：兩個方案並列</translation>
    </message>
    <message>
      <location filename="desktop/start_page.py" />
      <source>A 70B chat service with a latency target</source>
      <translation>有延遲目標的 70B 聊天服務</translation>
    </message>
    <message>
      <location filename="desktop/start_page.py" />
      <source>A 7B model trained further, by a deadline</source>
      <translation>7B 模型在期限內繼續訓練</translation>
    </message>
    <message>
      <location filename="desktop/start_page.py" />
      <source>What do you want to plan?</source>
      <translation>您想規劃什麼？</translation>
    </message>
    <message>
      <location filename="desktop/start_page.py" />
      <source>Which accelerators to buy or rent to train and to serve a model, and what that costs.</source>
      <translation>訓練與服務一個模型，該買或該租哪些加速器，以及要花多少錢。</translation>
    </message>
    <message>
      <location filename="desktop/start_page.py" />
      <source>Recent projects</source>
      <translation>最近的專案</translation>
    </message>
    <message>
      <location filename="desktop/start_page.py" />
      <source>Examples</source>
      <translation>範例</translation>
    </message>
    <message>
      <location filename="desktop/start_page.py" />
      <source>Projects that you save or open are listed here.</source>
      <translation>您儲存或開啟的專案會列在這裡。</translation>
    </message>
    <message>
      <location filename="desktop/start_page.py" />
      <source>&amp;Guided start…</source>
      <translation>引導式開始(&amp;G)…</translation>
    </message>
    <message>
      <location filename="desktop/start_page.py" />
      <source>Plan a &amp;model's config.json…</source>
      <translation>以模型的 config.json 規劃(&amp;M)…</translation>
    </message>
    <message>
      <location filename="desktop/start_page.py" />
      <source>Empt&amp;y project</source>
      <translation>空白專案(&amp;Y)</translation>
    </message>
    <message>
      <location filename="desktop/start_page.py" />
      <source>&amp;Open a project…</source>
      <translation>開啟專案(&amp;O)…</translation>
    </message>
    <message>
      <location filename="desktop/status_line.py" />
      <source>Nothing to plan</source>
      <translation>沒有可規劃的內容</translation>
    </message>
    <message>
      <location filename="desktop/status_line.py" />
      <source>Computing…</source>
      <translation>計算中…</translation>
    </message>
    <message>
      <location filename="desktop/status_line.py" />
      <source>Outdated, computing…</source>
      <translation>已過時，計算中…</translation>
    </message>
    <message>
      <location filename="desktop/status_line.py" />
      <source>Current</source>
      <translation>最新</translation>
    </message>
    <message>
      <location filename="desktop/status_line.py" />
      <source>State of the results</source>
      <translation>結果的狀態</translation>
    </message>
    <message>
      <location filename="desktop/status_line.py" />
      <source>What is being simulated</source>
      <translation>正在模擬的項目</translation>
    </message>
    <message>
      <location filename="desktop/status_line.py" />
      <source>Cancel what is being worked out</source>
      <translation>取消進行中的計算</translation>
    </message>
    <message>
      <location filename="desktop/status_line.py" />
      <source>What the results rest on</source>
      <translation>結果的依據</translation>
    </message>
    <message>
      <location filename="desktop/status_line.py" />
      <source>{task} {share} %</source>
      <translation>{task} {share} %</translation>
    </message>
    <message>
      <location filename="desktop/status_line.py" />
      <source>{time} left</source>
      <translation>剩餘 {time}</translation>
    </message>
    <message>
      <location filename="desktop/status_line.py" />
      <source>{count} candidates in {time} ms</source>
      <translation>{count} 個候選方案，{time} ms</translation>
    </message>
    <message>
      <location filename="desktop/status_line.py" />
      <source>evidence: {evidence}</source>
      <translation>依據：{evidence}</translation>
    </message>
    <message>
      <location filename="desktop/status_line.py" />
      <source>prices up to {date}</source>
      <translation>價格截至 {date}</translation>
    </message>
    <message>
      <location filename="desktop/templates.py" />
      <source>8B decoder</source>
      <translation>8B 解碼器</translation>
    </message>
    <message>
      <location filename="desktop/templates.py" />
      <source>13B, fine-tuned and served</source>
      <translation>13B，微調並提供服務</translation>
    </message>
    <message>
      <location filename="desktop/templates.py" />
      <source>70B chat service</source>
      <translation>70B 聊天服務</translation>
    </message>
    <message>
      <location filename="desktop/templates.py" />
      <source>7B, trained further</source>
      <translation>7B，繼續訓練</translation>
    </message>
    <message>
      <location filename="desktop/titles.py" />
      <source>{latency} target</source>
      <translation>{latency} 目標</translation>
    </message>
    <message>
      <location filename="desktop/titles.py" />
      <source>Change {title}</source>
      <translation>變更{title}</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>What you plan</source>
      <translation>您要規劃的內容</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>Model, workload, hardware and money, part by part. Type values as you say them: 80 GB, 40 req/s, 2 weeks, 20..60 for a range.</source>
      <translation>依序設定模型、工作負載、硬體與金額。數值可依習慣輸入：80 GB、40 req/s、2 weeks，範圍則輸入 20..60。</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>The answer first</source>
      <translation>先看答案</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>What to rent or buy, whether it meets every target, by how much, and what it costs. It follows each edit.</source>
      <translation>該租用或購買什麼、是否符合所有目標、餘裕多少，以及花費多少。每次編輯後都會更新。</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>Why it is so</source>
      <translation>為何如此</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>Each page shows one side of the answer. Lines of targets can be dragged; points and bars select a candidate.</source>
      <translation>每個頁面呈現答案的一個面向。目標線可以拖曳；點選資料點或長條即可選取候選方案。</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>All candidates, ranked</source>
      <translation>所有候選方案的排名</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>The ones that cannot run say why. Select one, and every plot speaks of it; F4 asks why a number is what it is.</source>
      <translation>無法執行的方案會說明原因。選取其中一個，所有圖表就會呈現該方案；按 F4 可查詢數字的由來。</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>Everything else</source>
      <translation>其他功能</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>Ctrl+K finds any command, page or accelerator. Shift+F1 and a click say what a field means. This tour stays in the Help menu.</source>
      <translation>Ctrl+K 可尋找任何命令、頁面或加速器。按 Shift+F1 再點選欄位即可查看其說明。此導覽可從「說明」選單再次開啟。</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>Skip the tour</source>
      <translation>略過導覽</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>&amp;Back</source>
      <translation>上一步(&amp;B)</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>{place} of {count}</source>
      <translation>第 {place} 步，共 {count} 步</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>&amp;Done</source>
      <translation>完成(&amp;D)</translation>
    </message>
    <message>
      <location filename="desktop/tour.py" />
      <source>&amp;Next</source>
      <translation>下一步(&amp;N)</translation>
    </message>
    <message>
      <location filename="desktop/unread_fields.py" />
      <source>“{title}” cannot be taken as it stands: “{text}”; {kept} was kept.</source>
      <translation>「{title}」目前的內容「{text}」無法採用；保留 {kept}。</translation>
    </message>
    <message>
      <location filename="desktop/unread_fields.py" />
      <source>“{title}” cannot be taken as it stands: “{text}”; it stays without a value.</source>
      <translation>「{title}」目前的內容「{text}」無法採用；仍沒有值。</translation>
    </message>
    <message>
      <location filename="desktop/unread_fields.py" />
      <source>Further fields like that: {count}.</source>
      <translation>另有同樣情形的欄位：{count} 個。</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Sets of measurements</source>
      <translation>量測組</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Copy command</source>
      <translation>複製指令</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Before and after</source>
      <translation>之前與之後</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>What to measure next</source>
      <translation>接下來該量測什麼</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Nearest measurements</source>
      <translation>最接近的量測</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Comparing with measurements…</source>
      <translation>正在與量測比較…</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Commands that make the measurement</source>
      <translation>進行量測的指令</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Then import the result.</source>
      <translation>再匯入結果。</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Put your checkpoint's name or folder for MODEL; then import the result.</source>
      <translation>請將 MODEL 換成您的檢查點名稱或資料夾，再匯入結果。</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Each case as shipped, and as the other measurements say: that is what a plan would have used for it.</source>
      <translation>每個案例的隨附校準值，以及其他量測所示的值：後者就是方案對該案例會採用的值。</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>No case can be compared yet: choose a set above, and fill in what it does not say.</source>
      <translation>尚無可比較的案例：請在上方選取一組，補上其中未說明的內容。</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Leave a new set out, and it is compared with the plan without changing it.</source>
      <translation>排除一組新量測後，它會與方案比較，但不會改變方案。</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>In order of worth; each given that those before it are made.</source>
      <translation>依價值排序；每項皆假設前面的已完成。</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>No candidate that runs is uncertain enough to be worth a measurement.</source>
      <translation>可執行的候選方案都沒有不確定到值得再量測。</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>New against the plan</source>
      <translation>新量測與方案的比較</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Import…</source>
      <translation>匯入…</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Save the probe…</source>
      <translation>儲存探測程式…</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Save as a file…</source>
      <translation>另存為檔案…</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Leave out</source>
      <translation>排除</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Remove</source>
      <translation>移除</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>A benchmark's result, a log, a table or a mailed set; or drop it here</source>
      <translation>基準測試結果、記錄檔、表格或寄來的量測組；也可以拖放到這裡</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>All sets as one file, to be mailed</source>
      <translation>將所有量測組存成一個檔案，以便寄送</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>A set that is left out is compared with the plan: drift shows</source>
      <translation>排除的量測組會與方案比較：藉此看出漂移</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source> % lost to virtual machines</source>
      <translation> % 因虛擬機器損失</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>bare metal</source>
      <translation>裸機</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>What the set was measured on</source>
      <translation>這組量測的執行環境</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>What the runs lost to virtual machines, 3 % as a rule: a plan for virtual machines does not add it again</source>
      <translation>各次執行因虛擬機器而損失的部分，通常為 3 %：為虛擬機器所做的方案不會重複計入</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Use</source>
      <translation>採用</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>No measurements yet</source>
      <translation>尚無量測</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Plans rest on published timings. Results of your own machines show where a prediction is off, and every plan takes them into account, with narrower bands.</source>
      <translation>規劃以已發表的計時資料為依據。您自己機器的結果會顯示預測的偏差；所有規劃都會納入這些結果，區間也更窄。</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>Results of vLLM, SGLang, TensorRT-LLM and others, training logs, tables; or drop files here.</source>
      <translation>vLLM、SGLang、TensorRT-LLM 等的結果、訓練日誌、表格；也可將檔案拖放到這裡。</translation>
    </message>
    <message>
      <location filename="desktop/views/calibrate.py" />
      <source>One Python file that measures a machine in a few minutes with PyTorch alone; import what it writes</source>
      <translation>一個 Python 檔案，只需 PyTorch 即可在數分鐘內量測一台機器；再匯入其寫出的檔案</translation>
    </message>
    <message>
      <location filename="desktop/views/candidate_columns.py" />
      <source>Place in the ranking.</source>
      <translation>排名中的名次。</translation>
    </message>
    <message>
      <location filename="desktop/views/candidate_columns.py" />
      <source>Layout</source>
      <translation>配置</translation>
    </message>
    <message>
      <location filename="desktop/views/candidate_columns.py" />
      <source>How devices share the model: tensor, pipeline, context, expert and data parallel.</source>
      <translation>裝置如何分擔模型：張量、管線、上下文、專家與資料平行。</translation>
    </message>
    <message>
      <location filename="desktop/views/candidate_columns.py" />
      <source>The resource that takes most of a step.</source>
      <translation>單步中耗時最多的資源。</translation>
    </message>
    <message>
      <location filename="desktop/views/candidate_columns.py" />
      <source>How the prediction is known.</source>
      <translation>預測的根據。</translation>
    </message>
    <message>
      <location filename="desktop/views/candidate_columns.py" />
      <source>Format of the weights, and of the KV cache where it differs.</source>
      <translation>權重的格式；KV 快取格式不同時一併列出。</translation>
    </message>
    <message>
      <location filename="desktop/views/candidate_columns.py" />
      <source>Per replica</source>
      <translation>每個副本</translation>
    </message>
    <message>
      <location filename="desktop/views/candidate_columns.py" />
      <source>$/month</source>
      <translation>每月 $</translation>
    </message>
    <message>
      <location filename="desktop/views/candidate_columns.py" />
      <source>Per device</source>
      <translation>每個裝置</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>Candidates of</source>
      <translation>候選方案類別</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>Filter: h200 fp8</source>
      <translation>篩選：h200 fp8</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>Filter candidates</source>
      <translation>篩選候選方案</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>&amp;Only those that run</source>
      <translation>只列可執行的(&amp;O)</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>Show all candidates</source>
      <translation>顯示所有候選方案</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>No candidate fits “{typed}”.</source>
      <translation>沒有候選方案符合「{typed}」。</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>No candidate runs. Each says why when all are shown.</source>
      <translation>沒有可執行的候選方案。顯示全部時，每個都會說明原因。</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>Ranked candidates</source>
      <translation>候選方案排名</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>The ranked candidates appear here.</source>
      <translation>排序後的候選方案會顯示在此處。</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>{running} of {total} run</source>
      <translation>{total} 個中有 {running} 個可執行</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>{shown} shown · {rest}</source>
      <translation>顯示 {shown} 個 · {rest}</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>Why this {quantity}?</source>
      <translation>為什麼{quantity}是這個值？</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>Save Table as CSV…</source>
      <translation>將表格存成 CSV…</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>Save table</source>
      <translation>儲存表格</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>Table (*.csv)</source>
      <translation>表格 (*.csv)</translation>
    </message>
    <message>
      <location filename="desktop/views/candidates.py" />
      <source>The table was not saved</source>
      <translation>表格未儲存</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_browser.py" />
      <source>Accelerators</source>
      <translation>加速器</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_browser.py" />
      <source>Nodes</source>
      <translation>節點</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_browser.py" />
      <source>Links</source>
      <translation>連結</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_browser.py" />
      <source>Offers</source>
      <translation>租用報價</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_browser.py" />
      <source>Models</source>
      <translation>模型</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_browser.py" />
      <source>Kinds of catalogue entries</source>
      <translation>型錄項目的種類</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Name</source>
      <translation>名稱</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Vendor</source>
      <translation>廠商</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Kind</source>
      <translation>種類</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Architecture</source>
      <translation>架構</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Year</source>
      <translation>年份</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>BF16</source>
      <translation>BF16</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>FP4</source>
      <translation>FP4</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Rent</source>
      <translation>租用</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Scale-up</source>
      <translation>Scale-up</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Scale-out</source>
      <translation>Scale-out</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Cooling</source>
      <translation>冷卻</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Rate</source>
      <translation>費率</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Point to point</source>
      <translation>點對點</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Collectives</source>
      <translation>集合通訊</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Instance</source>
      <translation>執行個體</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Market</source>
      <translation>市場</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>On demand</source>
      <translation>隨需</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>1 year</source>
      <translation>1 年</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>3 years</source>
      <translation>3 年</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Confidence</source>
      <translation>可信度</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Hidden size</source>
      <translation>隱藏層大小</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_columns.py" />
      <source>Vocabulary</source>
      <translation>詞彙表</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_details.py" />
      <source>Known by</source>
      <translation>依據</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_details.py" />
      <source>Details of the catalogue entry</source>
      <translation>型錄項目的詳細資料</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_details.py" />
      <source>Choose an entry to see its figures and their sources.</source>
      <translation>選擇一個項目，即可檢視其數字與來源。</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_details.py" />
      <source>Copy as own device…</source>
      <translation>複製為自有裝置…</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_details.py" />
      <source>Edit…</source>
      <translation>編輯…</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_details.py" />
      <source>Plan with this model</source>
      <translation>以此模型規劃</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_details.py" />
      <source>Use only this accelerator</source>
      <translation>只用這款加速器</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_details.py" />
      <source>Unpin</source>
      <translation>取消釘選</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_details.py" />
      <source>Pin to compare</source>
      <translation>釘選以比較</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_details.py" />
      <source>Drop own figures</source>
      <translation>捨棄自有數字</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_details.py" />
      <source>Copy Value</source>
      <translation>複製值</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_filters.py" />
      <source>Search</source>
      <translation>搜尋</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_filters.py" />
      <source>Search the catalogue</source>
      <translation>搜尋型錄</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_filters.py" />
      <source>Own entries</source>
      <translation>自有項目</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_filters.py" />
      <source>Clear filters</source>
      <translation>清除篩選</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_filters.py" />
      <source>{shown} of {total}</source>
      <translation>{total} 項中的 {shown} 項</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_model.py" />
      <source>pinned</source>
      <translation>已釘選</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_page.py" />
      <source>No entry passes the filters.</source>
      <translation>沒有符合篩選條件的項目。</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_page.py" />
      <source>Compare {count} pinned</source>
      <translation>比較釘選的 {count} 項</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_page.py" />
      <source>Pin another entry to compare with.</source>
      <translation>請再釘選一個項目以進行比較。</translation>
    </message>
    <message>
      <location filename="desktop/views/catalog_page.py" />
      <source>The catalogue has no entries of this kind.</source>
      <translation>型錄中沒有這類項目。</translation>
    </message>
    <message>
      <location filename="desktop/views/compare.py" />
      <source>Duplicate the scenario (Ctrl+D), change what differs, and see both here.</source>
      <translation>複製情境 (Ctrl+D)，改變要比較的部分，即可在此並列檢視。</translation>
    </message>
    <message>
      <location filename="desktop/views/compare.py" />
      <source>Weight of {criterion}</source>
      <translation>{criterion}的權重</translation>
    </message>
    <message>
      <location filename="desktop/views/context_questions.py" />
      <source>The set does not say:</source>
      <translation>這組量測沒有註明：</translation>
    </message>
    <message>
      <location filename="desktop/views/context_questions.py" />
      <source>Add to the set</source>
      <translation>加入量測組</translation>
    </message>
    <message>
      <location filename="desktop/views/context_questions.py" />
      <source>For runs of one machine and model: told once, for all sets that lack it</source>
      <translation>同一機器與模型的結果：說一次，套用到所有缺少的資料集</translation>
    </message>
    <message>
      <location filename="desktop/views/context_questions.py" />
      <source>Add to all {count} sets that lack it</source>
      <translation>加到全部 {count} 個缺少它的資料集</translation>
    </message>
    <message>
      <location filename="desktop/views/cost.py" />
      <source>Serving: </source>
      <translation>推論服務： </translation>
    </message>
    <message>
      <location filename="desktop/views/cost.py" />
      <source>Training: </source>
      <translation>訓練： </translation>
    </message>
    <message>
      <location filename="desktop/views/entry_compare.py" />
      <source>differs</source>
      <translation>不同</translation>
    </message>
    <message>
      <location filename="desktop/views/entry_compare.py" />
      <source>‹ All entries</source>
      <translation>‹ 所有項目</translation>
    </message>
    <message>
      <location filename="desktop/views/entry_compare.py" />
      <source>Back to all entries</source>
      <translation>回到所有項目</translation>
    </message>
    <message>
      <location filename="desktop/views/entry_compare.py" />
      <source>Only what differs</source>
      <translation>只列不同之處</translation>
    </message>
    <message>
      <location filename="desktop/views/entry_compare.py" />
      <source>Pinned entries side by side</source>
      <translation>並列釘選的項目</translation>
    </message>
    <message>
      <location filename="desktop/views/entry_compare.py" />
      <source>Unpin {name}</source>
      <translation>取消釘選 {name}</translation>
    </message>
    <message>
      <location filename="desktop/views/explain_panel.py" />
      <source>Right-click a number in the table and ask why it is what it is.</source>
      <translation>在表格中的數字上按右鍵，即可詢問它為什麼是這個值。</translation>
    </message>
    <message>
      <location filename="desktop/views/explain_panel.py" />
      <source>Explanation</source>
      <translation>說明</translation>
    </message>
    <message>
      <location filename="desktop/views/explain_panel.py" />
      <source>Copy as &amp;text</source>
      <translation>以文字複製(&amp;T)</translation>
    </message>
    <message>
      <location filename="desktop/views/explain_panel.py" />
      <source>&amp;Method…</source>
      <translation>方法(&amp;M)…</translation>
    </message>
    <message>
      <location filename="desktop/views/explain_panel.py" />
      <source>About the Method of This Value</source>
      <translation>此數值的計算方法</translation>
    </message>
    <message>
      <location filename="desktop/views/explain_panel.py" />
      <source>Formula or source</source>
      <translation>公式或來源</translation>
    </message>
    <message>
      <location filename="desktop/views/explain_panel.py" />
      <source>&amp;Numbers of this page</source>
      <translation>本頁的數字(&amp;N)</translation>
    </message>
    <message>
      <location filename="desktop/views/explain_panel.py" />
      <source>Copy All as Text</source>
      <translation>將全部以文字複製</translation>
    </message>
    <message>
      <location filename="desktop/views/explain_panel.py" />
      <source>Expand All</source>
      <translation>全部展開</translation>
    </message>
    <message>
      <location filename="desktop/views/findings.py" />
      <source>{count} serious</source>
      <translation>嚴重 {count} 項</translation>
    </message>
    <message>
      <location filename="desktop/views/findings.py" />
      <source>{count} warnings</source>
      <translation>警告 {count} 項</translation>
    </message>
    <message>
      <location filename="desktop/views/findings.py" />
      <source>{count} notes</source>
      <translation>提示 {count} 項</translation>
    </message>
    <message>
      <location filename="desktop/views/findings.py" />
      <source>1 serious</source>
      <translation>1 項嚴重</translation>
    </message>
    <message>
      <location filename="desktop/views/findings.py" />
      <source>1 warning</source>
      <translation>1 項警告</translation>
    </message>
    <message>
      <location filename="desktop/views/findings.py" />
      <source>1 note</source>
      <translation>1 項提示</translation>
    </message>
    <message>
      <location filename="desktop/views/findings.py" />
      <source>Nothing to say against this plan.</source>
      <translation>此方案沒有需要指出的問題。</translation>
    </message>
    <message>
      <location filename="desktop/views/findings.py" />
      <source>Apply</source>
      <translation>套用</translation>
    </message>
    <message>
      <location filename="desktop/views/findings.py" />
      <source>Money at stake</source>
      <translation>涉及金額</translation>
    </message>
    <message>
      <location filename="desktop/views/layout_model.py" />
      <source>Front</source>
      <translation>前緣</translation>
    </message>
    <message>
      <location filename="desktop/views/layout_model.py" />
      <source>Why it lost</source>
      <translation>落敗原因</translation>
    </message>
    <message>
      <location filename="desktop/views/layout_model.py" />
      <source>Virtual</source>
      <translation>虛擬階段</translation>
    </message>
    <message>
      <location filename="desktop/views/layout_model.py" />
      <source>{share} full</source>
      <translation>{share} 完整</translation>
    </message>
    <message>
      <location filename="desktop/views/layout_model.py" />
      <source>Micro</source>
      <translation>微批次</translation>
    </message>
    <message>
      <location filename="desktop/views/layout_model.py" />
      <source>What it lacks, or the part of the step that grew most against the best.</source>
      <translation>缺少什麼，或與最佳方案相比單步中增加最多的部分。</translation>
    </message>
    <message>
      <location filename="desktop/views/layout_model.py" />
      <source>Of the fullest device.</source>
      <translation>以佔用最滿的裝置計。</translation>
    </message>
    <message>
      <location filename="desktop/views/layouts.py" />
      <source>Only what fits</source>
      <translation>只列放得下的</translation>
    </message>
    <message>
      <location filename="desktop/views/layouts.py" />
      <source>Only the front</source>
      <translation>只列前緣</translation>
    </message>
    <message>
      <location filename="desktop/views/layouts.py" />
      <source>Use this layout</source>
      <translation>使用此配置</translation>
    </message>
    <message>
      <location filename="desktop/views/layouts.py" />
      <source>Leave it to the search</source>
      <translation>交給搜尋決定</translation>
    </message>
    <message>
      <location filename="desktop/views/layouts.py" />
      <source>Layouts</source>
      <translation>配置</translation>
    </message>
    <message>
      <location filename="desktop/views/layouts.py" />
      <source>Layouts are ranked by</source>
      <translation>配置排序依據</translation>
    </message>
    <message>
      <location filename="desktop/views/layouts.py" />
      <source>Number of devices</source>
      <translation>裝置數量</translation>
    </message>
    <message>
      <location filename="desktop/views/layouts.py" />
      <source>Fix this layout in the scenario; Undo takes it back</source>
      <translation>在情境中固定此配置；可用「復原」取消</translation>
    </message>
    <message>
      <location filename="desktop/views/layouts.py" />
      <source>The scenario fixes a layout: let the search choose again</source>
      <translation>情境已固定一個配置：改回由搜尋選擇</translation>
    </message>
    <message>
      <location filename="desktop/views/layouts.py" />
      <source>on</source>
      <translation>使用</translation>
    </message>
    <message>
      <location filename="desktop/views/layouts.py" />
      <source>Trying every layout…</source>
      <translation>正在嘗試所有配置…</translation>
    </message>
    <message>
      <location filename="desktop/views/layouts.py" />
      <source>; the candidate's own is number {place}</source>
      <translation>；候選方案本身的配置排第 {place}</translation>
    </message>
    <message>
      <location filename="desktop/views/layouts.py" />
      <source>Give the training job a deadline first</source>
      <translation>請先為訓練工作設定期限</translation>
    </message>
    <message>
      <location filename="desktop/views/load.py" />
      <source>Back to the request classes</source>
      <translation>回到請求類別</translation>
    </message>
    <message>
      <location filename="desktop/views/load.py" />
      <source>Simulating…</source>
      <translation>正在模擬…</translation>
    </message>
    <message>
      <location filename="desktop/views/load.py" />
      <source>Trace {name}, {count} requests</source>
      <translation>紀錄 {name}，{count} 個請求</translation>
    </message>
    <message>
      <location filename="desktop/views/load.py" />
      <source>This scenario serves nothing. Add a serving load to see latency.</source>
      <translation>此情境沒有推論服務。加入服務負載即可檢視延遲。</translation>
    </message>
    <message>
      <location filename="desktop/views/memory.py" />
      <source>What the selected accelerator's memory holds</source>
      <translation>所選加速器的記憶體中有什麼</translation>
    </message>
    <message>
      <location filename="desktop/views/numbers_list.py" />
      <source>Choose a number of this page to see what it comes from.</source>
      <translation>選擇本頁的一個數字，查看它從何而來。</translation>
    </message>
    <message>
      <location filename="desktop/views/numbers_list.py" />
      <source>Name or value</source>
      <translation>名稱或數值</translation>
    </message>
    <message>
      <location filename="desktop/views/numbers_list.py" />
      <source>Numbers to show</source>
      <translation>要顯示的數字</translation>
    </message>
    <message>
      <location filename="desktop/views/numbers_list.py" />
      <source>Numbers of this page</source>
      <translation>本頁的數字</translation>
    </message>
    <message>
      <location filename="desktop/views/numbers_list.py" />
      <source>Number</source>
      <translation>數字</translation>
    </message>
    <message>
      <location filename="desktop/views/numbers_list.py" />
      <source>No numbers are there yet.</source>
      <translation>目前還沒有數字。</translation>
    </message>
    <message>
      <location filename="desktop/views/phases.py" />
      <source>Accelerator compared with</source>
      <translation>比較的基準加速器</translation>
    </message>
    <message>
      <location filename="desktop/views/phases.py" />
      <source>Accelerator that is compared</source>
      <translation>被比較的加速器</translation>
    </message>
    <message>
      <location filename="desktop/views/phases.py" />
      <source>Gains by phase</source>
      <translation>各階段的增益</translation>
    </message>
    <message>
      <location filename="desktop/views/phases.py" />
      <source>Published results of the pair</source>
      <translation>這一對的公開結果</translation>
    </message>
    <message>
      <location filename="desktop/views/phases.py" />
      <source>Turn the comparison round</source>
      <translation>對調比較方向</translation>
    </message>
    <message>
      <location filename="desktop/views/phases.py" />
      <source>to</source>
      <translation>到</translation>
    </message>
    <message>
      <location filename="desktop/views/phases.py" />
      <source>Search accelerators</source>
      <translation>搜尋加速器</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_help.py" />
      <source>Click a mark to look at the candidate that it stands for.</source>
      <translation>按一下標記即可查看它所代表的候選方案。</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_help.py" />
      <source>Drag a dashed line to change the value that it stands for.</source>
      <translation>拖曳虛線即可變更它所代表的值。</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_help.py" />
      <source>Click a name under the plot to hide what it names, or to show it again.</source>
      <translation>按一下圖下方的名稱即可隱藏或再次顯示它所代表的內容。</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_help.py" />
      <source>The wheel with Ctrl zooms, dragging moves what is seen, a double-click shows all again.</source>
      <translation>Ctrl 加滾輪可縮放，拖曳可移動檢視範圍，按兩下可再次顯示全部。</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_help.py" />
      <source>The right button, or ⋯, copies and saves the plot, shows it as a table and says why its numbers are what they are.</source>
      <translation>按右鍵或 ⋯ 可複製與儲存圖表、以表格顯示，並說明數字為何如此。</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>Picture (*.png)</source>
      <translation>圖片 (*.png)</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>Drawing (*.svg)</source>
      <translation>向量圖 (*.svg)</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>Numbers (*.csv)</source>
      <translation>數字 (*.csv)</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>&amp;Copy Picture</source>
      <translation>複製圖片(&amp;C)</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>Copy &amp;Numbers</source>
      <translation>複製數字(&amp;N)</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>&amp;Save Plot…</source>
      <translation>儲存圖表(&amp;S)…</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>&amp;Why These Numbers?</source>
      <translation>為什麼是這些數字？(&amp;W)</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>Show as &amp;Table</source>
      <translation>以表格顯示(&amp;T)</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>Zoom &amp;In</source>
      <translation>放大(&amp;I)</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>Zoom &amp;Out</source>
      <translation>縮小(&amp;O)</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>Show &amp;All</source>
      <translation>全部顯示(&amp;A)</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>Cur&amp;ves</source>
      <translation>曲線(&amp;V)</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>Logarithmic &amp;Horizontal Axis</source>
      <translation>橫軸用對數刻度(&amp;H)</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>&amp;Logarithmic Vertical Axis</source>
      <translation>縱軸用對數刻度(&amp;L)</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_menu.py" />
      <source>Save plot</source>
      <translation>儲存圖表</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_view.py" />
      <source>More for this plot</source>
      <translation>此圖表的更多操作</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_view.py" />
      <source>Copy, save, show as table</source>
      <translation>複製、儲存、以表格顯示</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_view.py" />
      <source>Show all</source>
      <translation>全部顯示</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_view.py" />
      <source>Back to the whole plot (double-click in it does the same)</source>
      <translation>回到整張圖（在圖中按兩下亦可）</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_view.py" />
      <source>The numbers of the plot were copied.</source>
      <translation>已複製圖表的數字。</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_view.py" />
      <source>Drawing the plot…</source>
      <translation>正在繪製圖表…</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_view.py" />
      <source>The picture of the plot was copied.</source>
      <translation>已複製圖表的圖片。</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_view.py" />
      <source>The plot was saved as {name}.</source>
      <translation>圖表已儲存為 {name}。</translation>
    </message>
    <message>
      <location filename="desktop/views/plot_view.py" />
      <source>The plot was not saved</source>
      <translation>圖表未儲存</translation>
    </message>
    <message>
      <location filename="desktop/views/price_rows_model.py" />
      <source>Line</source>
      <translation>行</translation>
    </message>
    <message>
      <location filename="desktop/views/price_rows_model.py" />
      <source>Pays for</source>
      <translation>付費項目</translation>
    </message>
    <message>
      <location filename="desktop/views/price_rows_model.py" />
      <source>In dollars</source>
      <translation>美元金額</translation>
    </message>
    <message>
      <location filename="desktop/views/price_rows_model.py" />
      <source>Rows of the price list</source>
      <translation>價目表的列</translation>
    </message>
    <message>
      <location filename="desktop/views/readiness.py" />
      <source>Cheapest by simulated targets</source>
      <translation>依模擬目標找最便宜者</translation>
    </message>
    <message>
      <location filename="desktop/views/readiness.py" />
      <source>Simulates every configuration that could be cheapest, with other batch limits too; takes some seconds</source>
      <translation>模擬所有可能最便宜的組態，也試其他批次上限；需要幾秒鐘</translation>
    </message>
    <message>
      <location filename="desktop/views/readiness.py" />
      <source>Waiting for the load curve…</source>
      <translation>正在等候負載曲線…</translation>
    </message>
    <message>
      <location filename="desktop/views/readiness.py" />
      <source>The ranking below is by the closed form.</source>
      <translation>以下排名依封閉解計算。</translation>
    </message>
    <message>
      <location filename="desktop/views/readiness.py" />
      <source>This scenario serves nothing. Add a serving load to stress it.</source>
      <translation>此情境沒有推論服務。加入服務負載即可進行壓力測試。</translation>
    </message>
    <message>
      <location filename="desktop/views/result_view.py" />
      <source>Nothing to show yet.</source>
      <translation>尚無內容可顯示。</translation>
    </message>
    <message>
      <location filename="desktop/views/result_view.py" />
      <source>Why these numbers?</source>
      <translation>為什麼是這些數字？</translation>
    </message>
    <message>
      <location filename="desktop/views/rows_model.py" />
      <source>Numbers of the plot</source>
      <translation>圖表的數字</translation>
    </message>
    <message>
      <location filename="desktop/views/side_by_side.py" />
      <source>Plan both training and serving in one scenario to see what one fleet for both would cost.</source>
      <translation>在同一情境中同時規劃訓練與推論服務，即可看出共用一個機群的成本。</translation>
    </message>
    <message>
      <location filename="desktop/views/training.py" />
      <source>Training pages</source>
      <translation>訓練頁面</translation>
    </message>
    <message>
      <location filename="desktop/views/training.py" />
      <source>This scenario trains nothing. Add a training job to see its run.</source>
      <translation>此情境沒有訓練。加入訓練工作即可檢視其執行。</translation>
    </message>
    <message>
      <location filename="desktop/views/training_plots.py" />
      <source>One step</source>
      <translation>單一步驟</translation>
    </message>
    <message>
      <location filename="desktop/views/training_plots.py" />
      <source>Scaling</source>
      <translation>擴展</translation>
    </message>
    <message>
      <location filename="desktop/views/training_plots.py" />
      <source>What fits</source>
      <translation>可容納的規模</translation>
    </message>
    <message>
      <location filename="desktop/views/uncertainty.py" />
      <source>Progress of the samples</source>
      <translation>抽樣進度</translation>
    </message>
    <message>
      <location filename="desktop/views/uncertainty.py" />
      <source>Result that the tornado explains</source>
      <translation>龍捲風圖所解釋的結果</translation>
    </message>
    <message>
      <location filename="desktop/views/uncertainty.py" />
      <source>Which result to explain by its inputs</source>
      <translation>要以輸入來解釋哪一項結果</translation>
    </message>
    <message>
      <location filename="desktop/views/verdict.py" />
      <source>Describe a model and what to do with it; the answer stands here.</source>
      <translation>描述一個模型以及要用它做什麼；答案會出現在這裡。</translation>
    </message>
    <message>
      <location filename="desktop/views/verdict.py" />
      <source>Verdict</source>
      <translation>結論</translation>
    </message>
    <message>
      <location filename="desktop/windows.py" />
      <source>Not opened again, as the file is not there any more: {names}.</source>
      <translation>檔案已不存在，未重新開啟：{names}。</translation>
    </message>
    <message>
      <location filename="cli/plan.py" />
      <source>{scenario}: {result} was {was} for the sender, is now {now}.</source>
      <translation>{scenario}：寄件者的{result}為 {was}，現在是 {now}。</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>Add the columns, or choose another file</source>
      <translation>請補上這些欄，或選擇其他檔案</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>the file is in UTF-16, not UTF-8</source>
      <translation>檔案是 UTF-16 編碼，不是 UTF-8</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>Save it as CSV in UTF-8</source>
      <translation>請以 UTF-8 編碼的 CSV 儲存</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>Choose another file</source>
      <translation>請選擇其他檔案</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>Rename one of the two</source>
      <translation>請重新命名其中一個</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>the columns are those of no known benchmark table; nearest is the {nearest} table, which lacks {missing}</source>
      <translation>這些欄不屬於任何已知的效能測試表；最接近的是 {nearest} 表，但缺少 {missing}</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>Split the table</source>
      <translation>請將表格分割</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>the file is larger than 200 MB</source>
      <translation>檔案超過 200 MB</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>Check its name and permissions</source>
      <translation>請檢查檔名與權限</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>the file holds no table</source>
      <translation>檔案中沒有表格</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>Choose a CSV with a header line</source>
      <translation>請選擇含標題列的 CSV 檔</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>the table has more than {most_columns} columns</source>
      <translation>表格超過 {most_columns} 欄</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>the column {min} is there twice</source>
      <translation>欄 {min} 出現兩次</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>the table has more than {most_rows} rows</source>
      <translation>表格超過 {most_rows} 列</translation>
    </message>
    <message>
      <location filename="files/benchmark_rows/reader.py" />
      <source>the file can't be read: {strerror}</source>
      <translation>無法讀取檔案：{strerror}</translation>
    </message>
    <message>
      <location filename="files/bounded.py" />
      <source>A name holds characters that hide what it says</source>
      <translation>名稱中含有會隱藏內容的字元</translation>
    </message>
    <message>
      <location filename="files/bounded.py" />
      <source>Remove them</source>
      <translation>請將其移除</translation>
    </message>
    <message>
      <location filename="files/bounded.py" />
      <source>A name holds a line break</source>
      <translation>名稱中含有換行</translation>
    </message>
    <message>
      <location filename="files/bounded.py" />
      <source>Remove it</source>
      <translation>請將其移除</translation>
    </message>
    <message>
      <location filename="files/bounded.py" />
      <source>Shorten it</source>
      <translation>請縮短</translation>
    </message>
    <message>
      <location filename="files/bounded.py" />
      <source>The text holds control or direction characters that hide what it says</source>
      <translation>文字中含有會隱藏內容的控制字元或方向字元</translation>
    </message>
    <message>
      <location filename="files/bounded.py" />
      <source>Split it</source>
      <translation>請將其分割</translation>
    </message>
    <message>
      <location filename="files/bounded.py" />
      <source>The text is longer than {longest_text} characters</source>
      <translation>文字超過 {longest_text} 個字元</translation>
    </message>
    <message>
      <location filename="files/bounded.py" />
      <source>The file holds more than {most_items} values</source>
      <translation>檔案中的值超過 {most_items} 個</translation>
    </message>
    <message>
      <location filename="files/calibration.py" />
      <source>The file is too large to be a kernel calibration</source>
      <translation>檔案太大，不會是核心校準檔</translation>
    </message>
    <message>
      <location filename="files/calibration.py" />
      <source>Check that it exists</source>
      <translation>請確認檔案存在</translation>
    </message>
    <message>
      <location filename="files/calibration.py" />
      <source>{title} is {value}, which is out of bounds</source>
      <translation>{title} 為 {value}，超出範圍</translation>
    </message>
    <message>
      <location filename="files/calibration.py" />
      <source>Open it with a newer GPU Planner</source>
      <translation>請以較新版的 GPU Planner 開啟</translation>
    </message>
    <message>
      <location filename="files/calibration.py" />
      <source>Restore the file that came with the program</source>
      <translation>請還原程式隨附的檔案</translation>
    </message>
    <message>
      <location filename="files/calibration.py" />
      <source>The file is no valid JSON</source>
      <translation>檔案不是有效的 JSON</translation>
    </message>
    <message>
      <location filename="files/calibration.py" />
      <source>The file can't be read ({strerror})</source>
      <translation>無法讀取檔案（{strerror}）</translation>
    </message>
    <message>
      <location filename="files/calibration.py" />
      <source>This is {format}, not a kernel calibration</source>
      <translation>這是 {format}，不是核心校準檔</translation>
    </message>
    <message>
      <location filename="files/calibration.py" />
      <source>The file has version {version}</source>
      <translation>檔案版本為 {version}</translation>
    </message>
    <message>
      <location filename="files/calibration.py" />
      <source>{accelerator} is not among the devices</source>
      <translation>裝置中沒有 {accelerator}</translation>
    </message>
    <message>
      <location filename="files/calibration.py" />
      <source>{precision} is not among the precisions</source>
      <translation>精度中沒有 {precision}</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>Correct the file, or remove it</source>
      <translation>請更正檔案，或將其移除</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>a list of entries is expected</source>
      <translation>這裡應為項目清單</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>Correct the field, or remove the entry</source>
      <translation>請更正欄位，或移除該項目</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>the file is no valid JSON ({what})</source>
      <translation>檔案不是有效的 JSON（{what}）</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>Correct the value</source>
      <translation>請更正數值</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>Remove one of the two</source>
      <translation>請移除其中一個</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>the file is larger than 50 MB</source>
      <translation>檔案超過 50 MB</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>Split the catalogue or remove entries</source>
      <translation>請分割目錄或移除部分項目</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>Check the file's permissions</source>
      <translation>請檢查檔案權限</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>no catalogue has this file's name</source>
      <translation>沒有任何目錄使用這個檔名</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>the identifier {id} is there twice</source>
      <translation>識別碼 {id} 出現兩次</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>Rename it to one of {names}, or remove it</source>
      <translation>請改名為 {names} 之一，或將其移除</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>entry {id} refers to the accelerator {accelerator_id}, which no catalogue has</source>
      <translation>項目 {id} 參照加速器 {accelerator_id}，但目錄中沒有</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>Add the accelerator, or correct the name</source>
      <translation>請加入該加速器，或更正名稱</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>{alias} stands for {entry_id}, which no catalogue has</source>
      <translation>{alias} 代表 {entry_id}，但目錄中沒有</translation>
    </message>
    <message>
      <location filename="files/catalogs.py" />
      <source>Add the entry, or correct the identifier</source>
      <translation>請加入該項目，或更正識別碼</translation>
    </message>
    <message>
      <location filename="files/economics_presets.py" />
      <source>no such field</source>
      <translation>沒有這個欄位</translation>
    </message>
    <message>
      <location filename="files/errors.py" />
      <source>there is no such file</source>
      <translation>沒有這個檔案</translation>
    </message>
    <message>
      <location filename="files/errors.py" />
      <source>this is not a file</source>
      <translation>這不是檔案</translation>
    </message>
    <message>
      <location filename="files/errors.py" />
      <source>Choose a file</source>
      <translation>請選擇檔案</translation>
    </message>
    <message>
      <location filename="files/errors.py" />
      <source>It was looked for in {folder}</source>
      <translation>尋找位置：{folder}</translation>
    </message>
    <message>
      <location filename="files/evidence.py" />
      <source>the source or the quantity is not known</source>
      <translation>來源或數量不明</translation>
    </message>
    <message>
      <location filename="files/manifest.py" />
      <source>the manifest is empty</source>
      <translation>清單檔是空的</translation>
    </message>
    <message>
      <location filename="files/manifest.py" />
      <source>Get the build again</source>
      <translation>請重新取得程式套件</translation>
    </message>
    <message>
      <location filename="files/manifest.py" />
      <source>this is no line of a manifest</source>
      <translation>這不是清單檔的內容</translation>
    </message>
    <message>
      <location filename="files/measurements/aiperf_json.py" />
      <source>The client counted {counted} output tokens per request, the server reported {reported}: the client's tokenizer is not the model's, and time per token is off by the same ratio.</source>
      <translation>用戶端計得每個請求 {counted} 個輸出 token，伺服器回報 {reported} 個：用戶端的 tokenizer 並非模型的 tokenizer，每個 token 的時間會以相同比例偏差。</translation>
    </message>
    <message>
      <location filename="files/measurements/aiperf_records.py" />
      <source>Line {line} is left out: {problem}.</source>
      <translation>第 {line} 行已略過：{problem}。</translation>
    </message>
    <message>
      <location filename="files/measurements/deepspeed_profiler.py" />
      <source>the profile stops before its times</source>
      <translation>效能剖析在時間數據之前就中斷了</translation>
    </message>
    <message>
      <location filename="files/measurements/deepspeed_profiler.py" />
      <source>Copy the whole output</source>
      <translation>請複製完整輸出</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>Unpack it, and choose the file that was in it</source>
      <translation>請先解壓縮，再選擇其中的檔案</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>this is not a text file</source>
      <translation>這不是文字檔</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>Choose a file that a benchmark wrote</source>
      <translation>請選擇效能測試產生的檔案</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>the file is packed ({kind})</source>
      <translation>檔案是壓縮檔（{kind}）</translation>
    </message>
    <message>
      <location filename="files/measurements/importer.py" />
      <source>What follows the result of line {line} is left out: {problem}.</source>
      <translation>第 {line} 行的結果之後的內容已略過：{problem}。</translation>
    </message>
    <message>
      <location filename="files/measurements/llama_bench.py" />
      <source>Line {line} is left out: its test is not understood.</source>
      <translation>第 {line} 行已略過：無法理解其測試項目。</translation>
    </message>
    <message>
      <location filename="files/measurements/llama_bench.py" />
      <source>Line {line} is left out: it is no row.</source>
      <translation>第 {line} 行已略過：它不是資料列。</translation>
    </message>
    <message>
      <location filename="files/measurements/loadgen.py" />
      <source>the summary stops before its scenario and verdict</source>
      <translation>摘要在情境與結論之前就中斷了</translation>
    </message>
    <message>
      <location filename="files/measurements/loadgen.py" />
      <source>Copy the whole file</source>
      <translation>請複製完整檔案</translation>
    </message>
    <message>
      <location filename="files/measurements/naming.py" />
      <source>Write a number</source>
      <translation>請填寫數字</translation>
    </message>
    <message>
      <location filename="files/measurements/naming.py" />
      <source>the context has no such field</source>
      <translation>情境說明沒有這個欄位</translation>
    </message>
    <message>
      <location filename="files/measurements/naming.py" />
      <source>{word} is no kind of load</source>
      <translation>{word} 不是負載種類</translation>
    </message>
    <message>
      <location filename="files/measurements/naming.py" />
      <source>Write one of {loads}</source>
      <translation>請填寫 {loads} 之一</translation>
    </message>
    <message>
      <location filename="files/measurements/naming.py" />
      <source>{word} is no number above 0</source>
      <translation>{word} 不是大於 0 的數字</translation>
    </message>
    <message>
      <location filename="files/measurements/naming.py" />
      <source>Run the probe where PyTorch sees the accelerator</source>
      <translation>請在 PyTorch 看得到加速器的機器上執行探測程式</translation>
    </message>
    <message>
      <location filename="files/measurements/naming.py" />
      <source>Write one of {known}</source>
      <translation>請填寫 {known} 之一</translation>
    </message>
    <message>
      <location filename="files/measurements/naming.py" />
      <source>these figures were measured on a processor ({name}), not on {device}</source>
      <translation>這些數值是在處理器（{name}）上量測的，不是在 {device} 上</translation>
    </message>
    <message>
      <location filename="files/measurements/nccl_tests.py" />
      <source>the table has no rows</source>
      <translation>表格沒有任何列</translation>
    </message>
    <message>
      <location filename="files/measurements/nccl_tests.py" />
      <source>The number of ranks is not listed; the ratio of bus to algorithm bandwidth says {ranks}.</source>
      <translation>未列出 rank 數；由匯流排頻寬與演算法頻寬之比推得 {ranks} 個。</translation>
    </message>
    <message>
      <location filename="files/measurements/nccl_tests.py" />
      <source>The ranks run on different devices; the first one's name is taken.</source>
      <translation>各 rank 在不同裝置上執行；採用第一個裝置的名稱。</translation>
    </message>
    <message>
      <location filename="files/measurements/nvidia_smi.py" />
      <source>No column says which device a sample is of: all are taken for one device.</source>
      <translation>沒有欄位說明樣本屬於哪個裝置：全部視為同一個裝置。</translation>
    </message>
    <message>
      <location filename="files/measurements/nvidia_smi.py" />
      <source>Line {line} is left out: it has {count} cells instead of {expected}.</source>
      <translation>第 {line} 行已略過：有 {count} 個儲存格，而非 {expected} 個。</translation>
    </message>
    <message>
      <location filename="files/measurements/probe.py" />
      <source>a newer probe wrote this file</source>
      <translation>這個檔案由較新的量測程式產生</translation>
    </message>
    <message>
      <location filename="files/measurements/probe.py" />
      <source>Update the program</source>
      <translation>請更新程式</translation>
    </message>
    <message>
      <location filename="files/measurements/probe.py" />
      <source>the file does not say which probe wrote it</source>
      <translation>檔案沒有說明是哪一版探測程式寫的</translation>
    </message>
    <message>
      <location filename="files/measurements/probe.py" />
      <source>Carry the probe's own file over</source>
      <translation>請帶回探測程式原本寫出的檔案</translation>
    </message>
    <message>
      <location filename="files/measurements/probe.py" />
      <source>Measured on a processor: kept as a record, and no accelerator's plan rests on it.</source>
      <translation>在處理器上量測：僅留作紀錄，任何加速器的方案都不以此為依據。</translation>
    </message>
    <message>
      <location filename="files/measurements/probe.py" />
      <source>The probe did not get through: what it had measured is here.</source>
      <translation>探測程式沒有做完：這裡是它已量測到的結果。</translation>
    </message>
    <message>
      <location filename="files/measurements/probe.py" />
      <source>Measured on a slice of a device (MIG): it says nothing of the whole device.</source>
      <translation>在裝置的切分（MIG）上量測：不能代表整個裝置。</translation>
    </message>
    <message>
      <location filename="files/measurements/registry.py" />
      <source>The last line has no end: if the file was cut there, its last figures are wrong.</source>
      <translation>最後一行沒有結尾：若檔案在該處被截斷，最後的數字即有誤。</translation>
    </message>
    <message>
      <location filename="files/measurements/registry.py" />
      <source>{count} more results are left out: the file has too many.</source>
      <translation>另有 {count} 筆結果已略過：檔案中的結果過多。</translation>
    </message>
    <message>
      <location filename="files/measurements/registry.py" />
      <source>this begins like JSON, but</source>
      <translation>開頭像是 JSON，但</translation>
    </message>
    <message>
      <location filename="files/measurements/registry.py" />
      <source>this is no measurement that is known</source>
      <translation>這不是已知的量測結果</translation>
    </message>
    <message>
      <location filename="files/measurements/registry.py" />
      <source>Export or copy the whole file again</source>
      <translation>請重新匯出或複製完整檔案</translation>
    </message>
    <message>
      <location filename="files/measurements/registry.py" />
      <source>this looks like a log of nvidia-smi without its headings</source>
      <translation>看起來是缺少欄位標題的 nvidia-smi 記錄</translation>
    </message>
    <message>
      <location filename="files/measurements/registry.py" />
      <source>Leave noheader out of --format, or write the headings as the first line</source>
      <translation>請從 --format 移除 noheader，或在第一行寫上欄位標題</translation>
    </message>
    <message>
      <location filename="files/measurements/registry.py" />
      <source>this is recorded traffic, not a measurement</source>
      <translation>這是流量紀錄，不是量測結果</translation>
    </message>
    <message>
      <location filename="files/measurements/registry.py" />
      <source>Read it as a trace</source>
      <translation>請以流量紀錄讀取</translation>
    </message>
    <message>
      <location filename="files/measurements/registry.py" />
      <source>Choose a result of {known}</source>
      <translation>請選擇 {known} 的結果</translation>
    </message>
    <message>
      <location filename="files/measurements/registry.py" />
      <source>this looks like {looks_like}, but</source>
      <translation>看起來像 {looks_like}，但</translation>
    </message>
    <message>
      <location filename="files/measurements/registry.py" />
      <source>{what} {json_problem}</source>
      <translation>{what} {json_problem}</translation>
    </message>
    <message>
      <location filename="files/measurements/registry.py" />
      <source>this looks like {title}, but holds no figure{why}</source>
      <translation>看起來像 {title}，但沒有任何數據{why}</translation>
    </message>
    <message>
      <location filename="files/measurements/sets.py" />
      <source>this is no file of measurements</source>
      <translation>這不是量測檔</translation>
    </message>
    <message>
      <location filename="files/measurements/sets.py" />
      <source>Choose one that GPU Planner saved</source>
      <translation>請選擇由 GPU Planner 儲存的檔案</translation>
    </message>
    <message>
      <location filename="files/measurements/sets.py" />
      <source>The format version is missing or no positive whole number</source>
      <translation>缺少格式版本，或格式版本不是正整數</translation>
    </message>
    <message>
      <location filename="files/measurements/sets.py" />
      <source>a newer program wrote this file</source>
      <translation>這個檔案由較新版的程式產生</translation>
    </message>
    <message>
      <location filename="files/measurements/sets.py" />
      <source>Ask the sender for the file again</source>
      <translation>請向寄件者重新索取檔案</translation>
    </message>
    <message>
      <location filename="files/measurements/sets.py" />
      <source>Correct the value and import the file again</source>
      <translation>請更正數值後重新匯入</translation>
    </message>
    <message>
      <location filename="files/measurements/sets.py" />
      <source>{count} of {all} runs are left out: {problem} ({place}).</source>
      <translation>{all} 次執行中有 {count} 次已略過：{problem}（{place}）。</translation>
    </message>
    <message>
      <location filename="files/measurements/sglang_serving.py" />
      <source>The file does not name the model; perhaps the name of the file does.</source>
      <translation>檔案內容未指明模型；檔名也許有寫。</translation>
    </message>
    <message>
      <location filename="files/measurements/sglang_serving.py" />
      <source>Line {line} is left out: it is no result.</source>
      <translation>第 {line} 行已略過：它不是結果。</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>it is no valid JSON of the expected kind</source>
      <translation>它不是預期類型的有效 JSON</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>it is nested too deeply</source>
      <translation>巢狀層數過深</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>it is not UTF-8 text</source>
      <translation>它不是 UTF-8 文字</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>it stops in the middle</source>
      <translation>內容中斷不完整</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>it is no valid JSON ({what})</source>
      <translation>它不是有效的 JSON（{what}）</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>it holds more than {most} named values</source>
      <translation>它含有超過 {most} 個具名值</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>it holds more than {most} values</source>
      <translation>它含有超過 {most} 個值</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>the file is empty</source>
      <translation>檔案是空的</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>Cut it</source>
      <translation>請截短</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>the file became shorter while it was read</source>
      <translation>檔案在讀取期間變短了</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>Import it again when nothing writes to it any more</source>
      <translation>請在沒有程式寫入該檔案後再匯入</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>it holds a value of more than {size} GB</source>
      <translation>它含有超過 {size} GB 的值</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>the file has {size} GB; at most 4 GB are read</source>
      <translation>檔案有 {size} GB；最多讀取 4 GB</translation>
    </message>
    <message>
      <location filename="files/measurements/source.py" />
      <source>the file can't be read ({reason})</source>
      <translation>無法讀取檔案（{reason}）</translation>
    </message>
    <message>
      <location filename="files/measurements/table.py" />
      <source>this is no table: no line has several cells</source>
      <translation>這不是表格：沒有任何一行含有多個儲存格</translation>
    </message>
    <message>
      <location filename="files/measurements/table.py" />
      <source>Save it as CSV</source>
      <translation>請另存為 CSV</translation>
    </message>
    <message>
      <location filename="files/measurements/table.py" />
      <source>Name one that is there</source>
      <translation>請指定存在的欄</translation>
    </message>
    <message>
      <location filename="files/measurements/table.py" />
      <source>there is no column {unknown}; the columns are: {shown}</source>
      <translation>沒有欄 {unknown}；現有的欄：{shown}</translation>
    </message>
    <message>
      <location filename="files/measurements/table.py" />
      <source>Line {line}: {cell} in the column {heading} is no number from 0, and is left out.</source>
      <translation>第 {line} 行：欄位 {heading} 中的 {cell} 不是大於或等於 0 的數字，已略過。</translation>
    </message>
    <message>
      <location filename="files/measurements/torch_profiler.py" />
      <source>the table has no rows with times</source>
      <translation>表格中沒有含時間的列</translation>
    </message>
    <message>
      <location filename="files/measurements/torch_profiler.py" />
      <source>Copy the whole table</source>
      <translation>請複製完整表格</translation>
    </message>
    <message>
      <location filename="files/measurements/torch_profiler.py" />
      <source>{share} of the operators' own time is outside matrix products and attention.</source>
      <translation>運算子自身時間的 {share} 不在矩陣乘法與注意力之內。</translation>
    </message>
    <message>
      <location filename="files/model_import/config.py" />
      <source>Correct the key or remove it</source>
      <translation>請更正該鍵或將其移除</translation>
    </message>
    <message>
      <location filename="files/model_import/config.py" />
      <source>the list is empty</source>
      <translation>清單是空的</translation>
    </message>
    <message>
      <location filename="files/model_import/config.py" />
      <source>Add the key to the configuration</source>
      <translation>請在設定檔中加入該鍵</translation>
    </message>
    <message>
      <location filename="files/model_import/config.py" />
      <source>a whole number is expected, not {value}</source>
      <translation>這裡應為整數，而不是 {value}</translation>
    </message>
    <message>
      <location filename="files/model_import/config.py" />
      <source>{value} is outside {least} to {limit}</source>
      <translation>{value} 不在 {least} 到 {limit} 之間</translation>
    </message>
    <message>
      <location filename="files/model_import/config.py" />
      <source>a number is expected, not {value}</source>
      <translation>這裡應為數字，而不是 {value}</translation>
    </message>
    <message>
      <location filename="files/model_import/config.py" />
      <source>{value} is outside {least} to {most}</source>
      <translation>{value} 不在 {least} 到 {most} 之間</translation>
    </message>
    <message>
      <location filename="files/model_import/config.py" />
      <source>true or false is expected, not {value}</source>
      <translation>這裡應為 true 或 false，而不是 {value}</translation>
    </message>
    <message>
      <location filename="files/model_import/config.py" />
      <source>text is expected, not {value}</source>
      <translation>這裡應為文字，而不是 {value}</translation>
    </message>
    <message>
      <location filename="files/model_import/config.py" />
      <source>a list is expected, not {value}</source>
      <translation>這裡應為清單，而不是 {value}</translation>
    </message>
    <message>
      <location filename="files/model_import/config.py" />
      <source>the list has {value} entries, more than {most}</source>
      <translation>清單有 {value} 個項目，超過 {most} 個</translation>
    </message>
    <message>
      <location filename="files/model_import/config.py" />
      <source>an object is expected, not {value}</source>
      <translation>這裡應為物件，而不是 {value}</translation>
    </message>
    <message>
      <location filename="files/model_import/config.py" />
      <source>{family} needs this key and it is missing</source>
      <translation>{family} 需要這個鍵，但檔案中沒有</translation>
    </message>
    <message>
      <location filename="files/model_import/config.py" />
      <source>{item} is of the wrong type</source>
      <translation>{item} 的型別不正確</translation>
    </message>
    <message>
      <location filename="files/model_import/decoder_family.py" />
      <source>a pattern of L and G is expected, not {value}</source>
      <translation>應為由 L 與 G 組成的樣式，而非 {value}</translation>
    </message>
    <message>
      <location filename="files/model_import/deepseek_v4.py" />
      <source>a ratio is outside 0 to 1,000,000</source>
      <translation>有比率不在 0 到 1,000,000 之間</translation>
    </message>
    <message>
      <location filename="files/model_import/deepseek_v4.py" />
      <source>{unknown} is no kind of layer that DeepSeek V4 has</source>
      <translation>DeepSeek V4 沒有 {unknown} 這種層</translation>
    </message>
    <message>
      <location filename="files/model_import/diffusion.py" />
      <source>a width is outside 1 to 1,000,000</source>
      <translation>有寬度不在 1 到 1,000,000 之間</translation>
    </message>
    <message>
      <location filename="files/model_import/diffusion.py" />
      <source>{names} blocks stand beside {count} widths</source>
      <translation>有 {names} 個區塊，卻有 {count} 個寬度</translation>
    </message>
    <message>
      <location filename="files/model_import/diffusion.py" />
      <source>{count} whole numbers from 1 to {most} are expected</source>
      <translation>這裡應為 {count} 個 1 到 {most} 的整數</translation>
    </message>
    <message>
      <location filename="files/model_import/layers.py" />
      <source>{top_k} experts per token are more than the {count} experts</source>
      <translation>每個詞元使用 {top_k} 個專家，多於總共 {count} 個專家</translation>
    </message>
    <message>
      <location filename="files/model_import/importer.py" />
      <source>a JSON object is expected</source>
      <translation>這裡應為 JSON 物件</translation>
    </message>
    <message>
      <location filename="files/model_import/importer.py" />
      <source>Choose a model's config.json</source>
      <translation>請選擇模型的 config.json</translation>
    </message>
    <message>
      <location filename="files/model_import/importer.py" />
      <source>Check its sizes</source>
      <translation>請檢查各項尺寸</translation>
    </message>
    <message>
      <location filename="files/model_import/importer.py" />
      <source>{lower} comes to {value}, which no model has</source>
      <translation>{lower} 算出來是 {value}，沒有模型是這樣</translation>
    </message>
    <message>
      <location filename="files/model_import/importer.py" />
      <source>Check the sizes in the configuration</source>
      <translation>請檢查設定檔中的尺寸</translation>
    </message>
    <message>
      <location filename="files/model_import/importer.py" />
      <source>this names an architecture and none of its sizes</source>
      <translation>檔案寫了架構名稱，卻沒有任何尺寸</translation>
    </message>
    <message>
      <location filename="files/model_import/importer.py" />
      <source>Choose the full config.json</source>
      <translation>請選擇完整的 config.json</translation>
    </message>
    <message>
      <location filename="files/model_import/importer.py" />
      <source>Remove the file or export it again</source>
      <translation>請移除檔案或重新匯出</translation>
    </message>
    <message>
      <location filename="files/model_import/importer.py" />
      <source>Choose the index of the checkpoint's shards</source>
      <translation>請選擇檢查點分片的索引檔</translation>
    </message>
    <message>
      <location filename="files/model_import/importer.py" />
      <source>its sizes make {total} parameters, more than any model has</source>
      <translation>由尺寸算出 {total} 個參數，比任何模型都多</translation>
    </message>
    <message>
      <location filename="files/model_import/importer.py" />
      <source>this names no architecture and no sizes</source>
      <translation>檔案中沒有架構名稱，也沒有尺寸</translation>
    </message>
    <message>
      <location filename="files/model_import/layers.py" />
      <source>{heads} heads are more than the hidden size {hidden_size}</source>
      <translation>{heads} 個注意力頭多於隱藏層寬度 {hidden_size}</translation>
    </message>
    <message>
      <location filename="files/model_import/nas.py" />
      <source>{family} needs its list of blocks</source>
      <translation>{family} 需要區塊清單</translation>
    </message>
    <message>
      <location filename="files/model_import/nas.py" />
      <source>{kv_heads} is outside 1 to {heads}</source>
      <translation>{kv_heads} 不在 1 到 {heads} 之間</translation>
    </message>
    <message>
      <location filename="files/model_import/parallel_hybrid.py" />
      <source>{kind} is no kind of layer that Granite 4 has</source>
      <translation>{kind} 不是 Granite 4 具有的層類型</translation>
    </message>
    <message>
      <location filename="files/model_import/quantization.py" />
      <source>{size} is outside 1 to 1,000,000</source>
      <translation>{size} 不在 1 到 1,000,000 之間</translation>
    </message>
    <message>
      <location filename="files/model_import/shared_expert_families.py" />
      <source>layers that differ are not supported: {values}</source>
      <translation>不支援各層相異：{values}</translation>
    </message>
    <message>
      <location filename="files/model_import/state_space.py" />
      <source>Nemotron-H needs the pattern of its layers</source>
      <translation>Nemotron-H 需要層的排列樣式</translation>
    </message>
    <message>
      <location filename="files/model_import/state_space.py" />
      <source>text or a list is expected, not {value}</source>
      <translation>這裡應為文字或清單，而不是 {value}</translation>
    </message>
    <message>
      <location filename="files/model_import/state_space.py" />
      <source>it names {value} layers, more than {most_layers}</source>
      <translation>列出了 {value} 層，超過 {most_layers} 層</translation>
    </message>
    <message>
      <location filename="files/model_import/state_space.py" />
      <source>{letter} is no kind of layer that Nemotron-H has</source>
      <translation>Nemotron-H 沒有 {letter} 這種層</translation>
    </message>
    <message>
      <location filename="files/model_import/decoder_families.py" />
      <source>numbers of layers with commas are expected, not {value}</source>
      <translation>應為以逗號分隔的層編號，而非 {value}</translation>
    </message>
    <message>
      <location filename="files/own_entries.py" />
      <source>Check the folder's permissions</source>
      <translation>請檢查資料夾權限</translation>
    </message>
    <message>
      <location filename="files/own_entries.py" />
      <source>Remove it yourself</source>
      <translation>請自行移除</translation>
    </message>
    <message>
      <location filename="files/own_entries.py" />
      <source>the folder can't be made ({strerror})</source>
      <translation>無法建立資料夾（{strerror}）</translation>
    </message>
    <message>
      <location filename="files/own_entries.py" />
      <source>it could not be removed ({strerror})</source>
      <translation>無法移除（{strerror}）</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>this is no signed catalogue pack</source>
      <translation>這不是已簽署的目錄套件</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>no key that is known here made this signature of this content: the file is damaged, changed, or from somebody else</source>
      <translation>這份內容的簽章不是由此處已知的金鑰所產生：檔案已損壞、遭更動，或來自他人</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>Ask the sender for the file again, or for the public key if you trust them</source>
      <translation>請向寄件者重新索取檔案；若信任對方，也可索取公開金鑰</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>this is no catalogue pack</source>
      <translation>這不是目錄套件</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>the pack is of a newer format</source>
      <translation>套件採用較新的格式</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>Ask the sender for the pack again</source>
      <translation>請向寄件者重新索取套件</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>the pack has no name of sensible length</source>
      <translation>套件沒有長度合理的名稱</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>Choose a {suffix} file from whom you trust</source>
      <translation>請選擇可信任來源的 {suffix} 檔</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>Choose a {suffix} file</source>
      <translation>請選擇 {suffix} 檔</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>{name} is no calibration; a pack may bring {known}</source>
      <translation>{name} 不是校準檔；套件可包含 {known}</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>Take the last ones back, or ask for one</source>
      <translation>請撤回最後套用的套件，或索取一份整合的套件</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>{most_packs} packs are in force already</source>
      <translation>已有 {most_packs} 個套件生效中</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>Check its permissions</source>
      <translation>請檢查其權限</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>the folder for packs can't be made ({strerror})</source>
      <translation>無法建立套件資料夾（{strerror}）</translation>
    </message>
    <message>
      <location filename="files/packs/pack_file.py" />
      <source>the pack can't be removed ({strerror})</source>
      <translation>無法移除套件（{strerror}）</translation>
    </message>
    <message>
      <location filename="files/shipped_tables.py" />
      <source>{unknown} is no number format</source>
      <translation>{unknown} 不是數值格式</translation>
    </message>
    <message>
      <location filename="files/price_list/table.py" />
      <source>this is no table with headings and rows</source>
      <translation>這不是含標題與資料列的表格</translation>
    </message>
    <message>
      <location filename="files/price_list/table.py" />
      <source>Save the list as CSV, headings first</source>
      <translation>請將清單存成 CSV，標題在第一列</translation>
    </message>
    <message>
      <location filename="files/price_list/table.py" />
      <source>Save the list as CSV</source>
      <translation>請將清單存成 CSV</translation>
    </message>
    <message>
      <location filename="files/price_list/table.py" />
      <source>this is no table ({error})</source>
      <translation>這不是表格（{error}）</translation>
    </message>
    <message>
      <location filename="files/price_list/table.py" />
      <source>the list has more than {most_rows} rows</source>
      <translation>清單超過 {most_rows} 列</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>{name} must be a finite number, is {value}</source>
      <translation>{name} 必須是有限的數字，目前為 {value}</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>{name} must be at least {limit}, is {value}</source>
      <translation>{name} 至少須為 {limit}，目前為 {value}</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>{name} must be above {limit}, is {value}</source>
      <translation>{name} 必須大於 {limit}，目前為 {value}</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>{name} must be at most {limit}, is {value}</source>
      <translation>{name} 最多為 {limit}，目前為 {value}</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>{name}: the numbers of a range must rise, are {value}</source>
      <translation>{name}：範圍的數字必須遞增，目前為 {value}</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>{name} must be one of {limit}, is {value}</source>
      <translation>{name} 必須是 {limit} 之一，目前為 {value}</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>{name} is not valid: {value}</source>
      <translation>{name} 無效：{value}</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>This is no GPU Planner project</source>
      <translation>這不是 GPU Planner 專案</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>Choose a file that GPU Planner saved</source>
      <translation>請選擇由 GPU Planner 儲存的檔案</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>Correct the value and open the file again</source>
      <translation>請更正數值後重新開啟檔案</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>Open it with a newer GPU Planner, or ask the sender to save it for this one</source>
      <translation>請以較新版的 GPU Planner 開啟，或請寄件者另存為此版本的格式</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>Ask the sender for the file again, or correct the place named</source>
      <translation>請向寄件者重新索取檔案，或更正所指的位置</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>The file has format version {version} (written by GPU Planner {wrote}); GPU Planner {own} reads up to version {newest}</source>
      <translation>檔案格式版本為 {version}（由 GPU Planner {wrote} 寫入）；GPU Planner {own} 最多讀取到版本 {newest}</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>Give each its own name</source>
      <translation>請給每個情境各自的名稱</translation>
    </message>
    <message>
      <location filename="files/project.py" />
      <source>Two scenarios are called {name}</source>
      <translation>有兩個情境都叫 {name}</translation>
    </message>
    <message>
      <location filename="files/recovery.py" />
      <source>This is no recovery copy of this version of GPU Planner</source>
      <translation>這不是此版 GPU Planner 的復原副本</translation>
    </message>
    <message>
      <location filename="files/recovery.py" />
      <source>Delete it</source>
      <translation>請將其刪除</translation>
    </message>
    <message>
      <location filename="files/recovery.py" />
      <source>This is no text</source>
      <translation>這不是文字</translation>
    </message>
    <message>
      <location filename="files/recovery.py" />
      <source>Delete the recovery copy</source>
      <translation>請刪除復原副本</translation>
    </message>
    <message>
      <location filename="files/recovery.py" />
      <source>This is no date</source>
      <translation>這不是日期</translation>
    </message>
    <message>
      <location filename="files/safe_json.py" />
      <source>Export the file again</source>
      <translation>請重新匯出檔案</translation>
    </message>
    <message>
      <location filename="files/safe_json.py" />
      <source>Choose a smaller file</source>
      <translation>請選擇較小的檔案</translation>
    </message>
    <message>
      <location filename="files/safe_json.py" />
      <source>Replace it with a finite number</source>
      <translation>請改成有限的數字</translation>
    </message>
    <message>
      <location filename="files/safe_json.py" />
      <source>the data is nested more than {deepest} levels deep</source>
      <translation>資料的巢狀結構超過 {deepest} 層</translation>
    </message>
    <message>
      <location filename="files/safe_json.py" />
      <source>the file has {size} MB; at most {limit} MB are read</source>
      <translation>檔案有 {size} MB；最多讀取 {limit} MB</translation>
    </message>
    <message>
      <location filename="files/safe_json.py" />
      <source>this is not UTF-8 text</source>
      <translation>這不是 UTF-8 文字</translation>
    </message>
    <message>
      <location filename="files/safe_json.py" />
      <source>Save the file as UTF-8 JSON</source>
      <translation>請將檔案存成 UTF-8 的 JSON</translation>
    </message>
    <message>
      <location filename="files/safe_json.py" />
      <source>the number {word} is not allowed</source>
      <translation>不允許數字 {word}</translation>
    </message>
    <message>
      <location filename="files/safe_json.py" />
      <source>Correct the number</source>
      <translation>請更正數字</translation>
    </message>
    <message>
      <location filename="files/safe_json.py" />
      <source>this is not valid JSON ({lower})</source>
      <translation>這不是有效的 JSON（{lower}）</translation>
    </message>
    <message>
      <location filename="files/safe_json.py" />
      <source>a number has {digits} digits ({digits_2}…)</source>
      <translation>有數字長達 {digits} 位（{digits_2}…）</translation>
    </message>
    <message>
      <location filename="files/safe_json.py" />
      <source>the number {digits} is too large</source>
      <translation>數字 {digits} 太大</translation>
    </message>
    <message>
      <location filename="files/safe_json.py" />
      <source>this key stands twice in one object</source>
      <translation>同一個物件中這個鍵出現兩次</translation>
    </message>
    <message>
      <location filename="files/shipped_json.py" />
      <source>the file is no valid JSON</source>
      <translation>檔案不是有效的 JSON</translation>
    </message>
    <message>
      <location filename="files/shipped_json.py" />
      <source>the file can't be read ({strerror})</source>
      <translation>無法讀取檔案（{strerror}）</translation>
    </message>
    <message>
      <location filename="files/signatures.py" />
      <source>this is no public key</source>
      <translation>這不是公開金鑰</translation>
    </message>
    <message>
      <location filename="files/signatures.py" />
      <source>Choose a file that begins with {key_word}</source>
      <translation>請選擇以 {key_word} 開頭的檔案</translation>
    </message>
    <message>
      <location filename="files/traces/columns.py" />
      <source>{number} tokens</source>
      <translation>{number} 個 token</translation>
    </message>
    <message>
      <location filename="files/traces/columns.py" />
      <source>more than {most} tokens</source>
      <translation>超過 {most} 個 token</translation>
    </message>
    <message>
      <location filename="files/traces/columns.py" />
      <source>{cell} is no number of tokens</source>
      <translation>{cell} 不是 token 數</translation>
    </message>
    <message>
      <location filename="files/traces/columns.py" />
      <source>a cell is empty</source>
      <translation>有儲存格是空的</translation>
    </message>
    <message>
      <location filename="files/traces/columns.py" />
      <source>{cell} is no number</source>
      <translation>{cell} 不是數字</translation>
    </message>
    <message>
      <location filename="files/traces/columns.py" />
      <source>{cell} is no finite number</source>
      <translation>{cell} 不是有限的數字</translation>
    </message>
    <message>
      <location filename="files/traces/columns.py" />
      <source>{cell} is no time</source>
      <translation>{cell} 不是時間</translation>
    </message>
    <message>
      <location filename="files/traces/collector.py" />
      <source>the file holds no requests</source>
      <translation>檔案中沒有任何請求</translation>
    </message>
    <message>
      <location filename="files/traces/collector.py" />
      <source>Choose a trace</source>
      <translation>請選擇流量紀錄</translation>
    </message>
    <message>
      <location filename="files/traces/collector.py" />
      <source>Choose a part of it</source>
      <translation>請選擇其中一部分</translation>
    </message>
    <message>
      <location filename="files/traces/collector.py" />
      <source>no row holds a request; the first: {what}</source>
      <translation>沒有任何一列是請求；第一列：{what}</translation>
    </message>
    <message>
      <location filename="files/traces/collector.py" />
      <source>Choose a trace, or name its columns</source>
      <translation>請選擇流量紀錄，或指定其欄位</translation>
    </message>
    <message>
      <location filename="files/traces/collector.py" />
      <source>its time is more than ten years from that of the first row</source>
      <translation>其時間與第一列相差超過十年</translation>
    </message>
    <message>
      <location filename="files/traces/collector.py" />
      <source>the trace has more than {most_requests} requests</source>
      <translation>流量紀錄超過 {most_requests} 個請求</translation>
    </message>
    <message>
      <location filename="files/traces/columns.py" />
      <source>Say which columns hold time, prompt and answer, or choose a trace of Azure, BurstGPT or Mooncake</source>
      <translation>請說明哪些欄是時間、提示與回答，或選擇 Azure、BurstGPT 或 Mooncake 的流量紀錄</translation>
    </message>
    <message>
      <location filename="files/traces/columns.py" />
      <source>Rename one</source>
      <translation>請重新命名其中一個</translation>
    </message>
    <message>
      <location filename="files/traces/columns.py" />
      <source>no column holds the {words}; the columns are: {shown}</source>
      <translation>沒有任何欄含有 {words}；現有的欄：{shown}</translation>
    </message>
    <message>
      <location filename="files/traces/columns.py" />
      <source>Export the trace again</source>
      <translation>請重新匯出流量紀錄</translation>
    </message>
    <message>
      <location filename="files/traces/columns.py" />
      <source>the column {wanted} is there twice</source>
      <translation>欄 {wanted} 出現兩次</translation>
    </message>
    <message>
      <location filename="files/traces/columns.py" />
      <source>there is no column {wanted}; the columns are: {shown}</source>
      <translation>沒有欄 {wanted}；現有的欄：{shown}</translation>
    </message>
    <message>
      <location filename="files/traces/columns.py" />
      <source>the header can't be read ({error})</source>
      <translation>無法讀取標題列（{error}）</translation>
    </message>
    <message>
      <location filename="files/traces/lines.py" />
      <source>Save it in UTF-8</source>
      <translation>請以 UTF-8 儲存</translation>
    </message>
    <message>
      <location filename="files/traces/lines.py" />
      <source>Choose a trace in CSV or JSON lines</source>
      <translation>請選擇 CSV 或 JSON lines 格式的流量紀錄</translation>
    </message>
    <message>
      <location filename="files/traces/lines.py" />
      <source>the file has {size} GB; at most {limit} GB are read</source>
      <translation>檔案有 {size} GB；最多讀取 {limit} GB</translation>
    </message>
    <message>
      <location filename="files/traces/mooncake.py" />
      <source>the prompt has {count} tokens</source>
      <translation>提示有 {count} 個 token</translation>
    </message>
    <message>
      <location filename="files/traces/mooncake.py" />
      <source>the answer has {count} tokens</source>
      <translation>回答有 {count} 個 token</translation>
    </message>
    <message>
      <location filename="files/traces/mooncake.py" />
      <source>the time is no finite number</source>
      <translation>時間不是有限的數字</translation>
    </message>
    <message>
      <location filename="files/traces/mooncake.py" />
      <source>{blocks} blocks are more than a prompt of {tokens} tokens has</source>
      <translation>{blocks} 個區塊多於 {tokens} 個 token 的提示所有的</translation>
    </message>
    <message>
      <location filename="files/traces/mooncake.py" />
      <source>no JSON object with timestamp, input_length and output_length</source>
      <translation>不是含有 timestamp、input_length 和 output_length 的 JSON 物件</translation>
    </message>
    <message>
      <location filename="files/traces/reader.py" />
      <source>the line is longer than {most} bytes</source>
      <translation>此行超過 {most} 位元組</translation>
    </message>
    <message>
      <location filename="files/traces/reader.py" />
      <source>the line is too long for a trace</source>
      <translation>這一行對流量紀錄來說太長</translation>
    </message>
    <message>
      <location filename="files/traces/reader.py" />
      <source>the row can't be read ({error})</source>
      <translation>無法讀取此列（{error}）</translation>
    </message>
    <message>
      <location filename="files/traces/reader.py" />
      <source>{count} of {least} cells</source>
      <translation>{least} 個儲存格中只有 {count} 個</translation>
    </message>
    <message>
      <location filename="files/uncertainty_defaults.py" />
      <source>a lognormal spread is a factor, not an offset</source>
      <translation>對數常態分布的離散度是倍數，不是差值</translation>
    </message>
    <message>
      <location filename="files/whole_file.py" />
      <source>Save it under another name or in another folder</source>
      <translation>請以其他名稱或在其他資料夾儲存</translation>
    </message>
    <message>
      <location filename="files/whole_file.py" />
      <source>it could not be written ({reason})</source>
      <translation>無法寫入（{reason}）</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Format</source>
      <translation>格式</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Format version</source>
      <translation>格式版本</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Written by</source>
      <translation>寫入者</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Random seed</source>
      <translation>亂數種子</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Same seed, same result.</source>
      <translation>相同種子，相同結果。</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Calibration</source>
      <translation>校準</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Catalogue entries used</source>
      <translation>使用的型錄項目</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Headline results</source>
      <translation>主要結果</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Own measurements</source>
      <translation>自有量測</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Chosen training plan</source>
      <translation>選定的訓練方案</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Key of the candidate; empty: the best.</source>
      <translation>候選方案的鍵；留空：最佳者。</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Chosen serving plan</source>
      <translation>選定的服務方案</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>How you call it.</source>
      <translation>您對它的稱呼。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Family</source>
      <translation>系列</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>The architecture as its config names it.</source>
      <translation>其設定檔所寫的架構名稱。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Width of the residual stream.</source>
      <translation>殘差流的寬度。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Embedding width</source>
      <translation>嵌入寬度</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>0: the hidden size.</source>
      <translation>0：隱藏層大小。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Encoder layers</source>
      <translation>編碼器層數</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Of an encoder-decoder.</source>
      <translation>編碼器–解碼器模型適用。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Encoder length</source>
      <translation>編碼器長度</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Where it is fixed (Whisper).</source>
      <translation>長度固定時 (Whisper)。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Vision tower</source>
      <translation>視覺塔</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Tied embeddings</source>
      <translation>綁定嵌入</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>One matrix for input and output.</source>
      <translation>輸入與輸出共用一個矩陣。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Output head</source>
      <translation>輸出頭</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Off for encoders that end in hidden states.</source>
      <translation>以隱藏狀態結尾的編碼器請關閉。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Head bias</source>
      <translation>輸出頭偏置</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Position parameters</source>
      <translation>位置參數</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Other parameters</source>
      <translation>其他參數</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Final norms, poolers, tables.</source>
      <translation>最後的正規化、池化層、表格。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Weight format</source>
      <translation>權重格式</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Forward FLOPs per sample</source>
      <translation>每樣本前向 FLOP</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>For models not made of token layers.</source>
      <translation>適用於非 token 層構成的模型。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Forward FLOPs per training sample</source>
      <translation>訓練時每樣本前向 FLOP</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Where training sees less than serving makes: one denoising pass of a picture. 0: the same.</source>
      <translation>訓練所見少於推論所產生時：圖片的一次去雜訊。0：相同。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Sample</source>
      <translation>樣本</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>What one sample is, such as an image of 224 × 224.</source>
      <translation>一個樣本是什麼，例如一張 224 × 224 的影像。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Activation bytes per sample</source>
      <translation>每樣本活化值位元組數</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>For models not made of token layers; 0 otherwise.</source>
      <translation>適用於非 token 層構成的模型；否則為 0。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Assumed</source>
      <translation>假設</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Keys the config lacks, and what was taken.</source>
      <translation>設定檔缺少的鍵，以及所採用的值。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Not understood</source>
      <translation>無法解讀</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>What the import could not read.</source>
      <translation>匯入時無法讀取的內容。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Token mixer</source>
      <translation>Token 混合層</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Cross-attention</source>
      <translation>交叉注意力</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Feed-forward</source>
      <translation>前饋</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Norms per layer</source>
      <translation>每層正規化數</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Norm</source>
      <translation>正規化</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Other parameters per layer</source>
      <translation>每層其他參數</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Query heads</source>
      <translation>Query 頭數</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Attention heads that ask.</source>
      <translation>發出查詢的注意力頭。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>KV heads</source>
      <translation>KV 頭數</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Heads whose keys and values are cached.</source>
      <translation>鍵與值會被快取的頭。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Head size</source>
      <translation>頭大小</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Width of one head's query and key.</source>
      <translation>單一頭的 query 與 key 寬度。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Value head size</source>
      <translation>Value 頭大小</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>0: same as the head size.</source>
      <translation>0：與頭大小相同。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Window</source>
      <translation>視窗</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Tokens seen by a sliding or chunked layer; 0: all of them.</source>
      <translation>滑動或分塊層看得到的 token 數；0：全部。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>QKV bias</source>
      <translation>QKV 偏置</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Output bias</source>
      <translation>輸出偏置</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Output gate</source>
      <translation>輸出閘</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>A second query-sized projection.</source>
      <translation>第二個與 query 同大的投影。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Shared K/V projection</source>
      <translation>共用 K/V 投影</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Keys and values come from one matrix.</source>
      <translation>鍵與值來自同一個矩陣。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Causal</source>
      <translation>因果</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>A token sees only earlier ones.</source>
      <translation>token 只看得到較早的 token。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Cached</source>
      <translation>快取</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Keys and values are kept while decoding.</source>
      <translation>解碼時保留鍵與值。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Reuses an earlier layer's cache</source>
      <translation>沿用前面層的快取</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Adds no KV cache of its own.</source>
      <translation>本身不增加 KV 快取。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Beyond the projections.</source>
      <translation>投影以外的參數。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Query rank</source>
      <translation>Query 秩</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>0: no query compression.</source>
      <translation>0：query 不壓縮。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>KV rank</source>
      <translation>KV 秩</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Width of the cached latent vector.</source>
      <translation>快取之潛在向量的寬度。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Head size without position</source>
      <translation>不含位置的頭大小</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Head size with position</source>
      <translation>含位置的頭大小</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Indexer heads</source>
      <translation>索引器頭數</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>0: no sparse indexer.</source>
      <translation>0：沒有稀疏索引器。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Indexer head size</source>
      <translation>索引器頭大小</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Tokens attended</source>
      <translation>關注的 token 數</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>What the indexer selects; 0: all.</source>
      <translation>索引器選出的數量；0：全部。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>A projection as large as the values.</source>
      <translation>與 value 同大的投影。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Output groups</source>
      <translation>輸出群組</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Output rank</source>
      <translation>輸出秩</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Compression</source>
      <translation>壓縮</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>0: windowed only.</source>
      <translation>0：僅視窗。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Key heads</source>
      <translation>Key 頭數</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Value heads</source>
      <translation>Value 頭數</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Key head size</source>
      <translation>Key 頭大小</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Convolution width</source>
      <translation>卷積寬度</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Gate rank</source>
      <translation>閘的秩</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Kimi delta attention: 0 for an output gate of full rank.</source>
      <translation>Kimi delta attention：0 表示滿秩的輸出閘。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Inner width</source>
      <translation>內部寬度</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Heads times head size.</source>
      <translation>頭數乘以頭大小。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>State size</source>
      <translation>狀態大小</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Heads</source>
      <translation>頭數</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Mamba 2 only.</source>
      <translation>僅 Mamba 2。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Groups</source>
      <translation>群組</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Time-step rank</source>
      <translation>時間步的秩</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Mamba 1 only.</source>
      <translation>僅 Mamba 1。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Convolution bias</source>
      <translation>卷積偏置</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Gated norm</source>
      <translation>閘控正規化</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Mamba 2 only: a norm before the output.</source>
      <translation>僅 Mamba 2：輸出前的正規化。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Feed-forward width</source>
      <translation>前饋寬度</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Gated</source>
      <translation>含閘</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>SwiGLU or GeGLU: three matrices instead of two.</source>
      <translation>SwiGLU 或 GeGLU：三個矩陣而非兩個。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Bias</source>
      <translation>偏置</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Experts per token</source>
      <translation>每 token 專家數</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Expert width</source>
      <translation>專家寬度</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Shared experts' width</source>
      <translation>共用專家的寬度</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>All shared experts together.</source>
      <translation>所有共用專家合計。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Gate on the shared expert</source>
      <translation>共用專家的閘</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Dense part's width</source>
      <translation>稠密部分的寬度</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>A dense MLP beside the experts (Gemma 4).</source>
      <translation>專家旁的稠密 MLP (Gemma 4)。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Expert input width</source>
      <translation>專家輸入寬度</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Expert bias</source>
      <translation>專家偏置</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Router bias</source>
      <translation>路由器偏置</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Width</source>
      <translation>寬度</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Patch embedding, merger and projector</source>
      <translation>Patch 嵌入、合併與投影層</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Checkpoint precision</source>
      <translation>檢查點精度</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Quantized layers' precision</source>
      <translation>量化層的精度</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Scale group</source>
      <translation>縮放群組</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Weights that share a scale; 0: one per tensor.</source>
      <translation>共用一個縮放係數的權重數；0：每張量一個。</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Scale size</source>
      <translation>縮放係數大小</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Zero-point size</source>
      <translation>零點大小</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Quantized part</source>
      <translation>量化的部分</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>What is trained, and from where.</source>
      <translation>訓練什麼，從何處開始。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Tokens seen in the whole run, epochs included.</source>
      <translation>整次訓練所見的 token 數，含多個 epoch。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Tokens between two optimizer updates, all devices together.</source>
      <translation>兩次最佳化器更新之間的 token 數，所有裝置合計。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Sequences per device and pass; 0: chosen by the search.</source>
      <translation>每裝置每次傳遞的序列數；0：由搜尋選擇。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Format of the matrix products.</source>
      <translation>矩陣乘積的格式。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>State per parameter</source>
      <translation>每參數狀態</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Framework</source>
      <translation>框架</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Whose measured habits speed and memory follow: overlap, buffers, kept activations.</source>
      <translation>速度與記憶體依循其實測習性：重疊、緩衝區、保留的活化值。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>auto: the lowest stage that fits.</source>
      <translation>auto：放得下的最低階段。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>ZeRO divides within a scale-up domain and repeats between (HSDP): less traffic, more memory.</source>
      <translation>ZeRO 在 Scale-up 網域內分割、網域間重複 (HSDP)：流量較少，記憶體較多。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Optimizer offload</source>
      <translation>最佳化器卸載</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Master weights and moments in host memory or NVMe.</source>
      <translation>主權重與動量置於主機記憶體或 NVMe。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Offload weights</source>
      <translation>卸載權重</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Weights and gradients in host memory too, layers brought as they are needed: ZeRO stage 3 or one copy.</source>
      <translation>權重與梯度也置於主機記憶體，需要時再逐層載入：ZeRO 第 3 階段或單一副本。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Offload activations</source>
      <translation>卸載活化值</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>What waits for the backward pass goes to host memory.</source>
      <translation>等候反向傳遞的內容移到主機記憶體。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Frozen parameters</source>
      <translation>凍結參數</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Share that a full training leaves as it is, such as a vision tower.</source>
      <translation>完整訓練中保持不變的比例，例如視覺塔。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Activation recomputation</source>
      <translation>活化值重新計算</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>auto: none where it fits.</source>
      <translation>auto：放得下時不重新計算。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Parallel layout</source>
      <translation>平行配置</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Sizes that the search must keep; 0: chosen.</source>
      <translation>搜尋必須遵守的大小；0：由程式選擇。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>LoRA rank</source>
      <translation>LoRA 秩</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Wall-clock time for the whole run, losses included.</source>
      <translation>整次訓練的實際經過時間，含損失。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Budget</source>
      <translation>預算</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>For the whole run.</source>
      <translation>整次訓練。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Start-up</source>
      <translation>啟動時間</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Compile, capture and load before the first step.</source>
      <translation>第一步之前的編譯、擷取與載入。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Extra share of device time.</source>
      <translation>額外裝置時間的比例。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Thermal derating</source>
      <translation>散熱降頻</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>1: full clocks held for the whole run.</source>
      <translation>1：整次訓練維持全時脈。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Can restart</source>
      <translation>可重新啟動</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>From a checkpoint, so spot capacity may be used.</source>
      <translation>由檢查點恢復，因此可使用 Spot 容量。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Data pipeline</source>
      <translation>資料管線</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Checkpoints and failures</source>
      <translation>檢查點與故障</translation>
    </message>
    <message>
      <location filename="domain/quantity.py" />
      <source>Low</source>
      <translation>低</translation>
    </message>
    <message>
      <location filename="domain/quantity.py" />
      <source>High</source>
      <translation>高</translation>
    </message>
    <message>
      <location filename="domain/quantity.py" />
      <source>Mode</source>
      <translation>眾數</translation>
    </message>
    <message>
      <location filename="domain/quantity.py" />
      <source>Sd</source>
      <translation>標準差</translation>
    </message>
    <message>
      <location filename="domain/quantity.py" />
      <source>Median</source>
      <translation>中位數</translation>
    </message>
    <message>
      <location filename="domain/quantity.py" />
      <source>Sigma</source>
      <translation>Sigma</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Gradients</source>
      <translation>梯度</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Master weights</source>
      <translation>主權重</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>First moment</source>
      <translation>一階動量</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Second moment</source>
      <translation>二階動量</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Devices that share each layer; 0: chosen.</source>
      <translation>共同分擔每一層的裝置數；0：由程式選擇。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Pipeline stages</source>
      <translation>管線階段</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>That the layers are cut into; 0: chosen.</source>
      <translation>層被切分成的階段數；0：由程式選擇。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Devices that share each sequence; 0: chosen.</source>
      <translation>共同分擔每個序列的裝置數；0：由程式選擇。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Devices that share the experts; 0: chosen.</source>
      <translation>共同分擔專家的裝置數；0：由程式選擇。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Virtual stages</source>
      <translation>虛擬階段</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Of an interleaved pipeline; 0: chosen.</source>
      <translation>交錯式管線適用；0：由程式選擇。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Recomputed layers</source>
      <translation>重新計算的層</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Share of the layers, if recomputed in full; empty: all.</source>
      <translation>完整重新計算時的層比例；留空：全部。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Stored bytes per token</source>
      <translation>每 token 儲存位元組數</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Storage read rate</source>
      <translation>儲存讀取速率</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>All readers together.</source>
      <translation>所有讀取程序合計。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Preprocessing per core</source>
      <translation>每核心前處理速率</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Tokenised text needs almost none.</source>
      <translation>已 token 化的文字幾乎不需要。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>CPU cores per device</source>
      <translation>每裝置 CPU 核心數</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Checkpoint write rate</source>
      <translation>檢查點寫入速率</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Asynchronous</source>
      <translation>非同步</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Only the copy to host memory stops the step; the rest is written behind it.</source>
      <translation>只有複製到主機記憶體時會停住訓練步驟；其餘在背後寫入。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Restart</source>
      <translation>重新啟動</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Detect, replace, reload and warm up after a failure.</source>
      <translation>故障後的偵測、替換、重新載入與暖機。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Checkpoints kept</source>
      <translation>保留的檢查點數</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Failures per node and day</source>
      <translation>每節點每日故障數</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>4e-3 for a fleet of some age; 8e-3 for a new one.</source>
      <translation>已使用一段時間的機群為 4e-3；新機群為 8e-3。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Request classes</source>
      <translation>請求類別</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Traffic</source>
      <translation>流量</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Start and failure of a replica</source>
      <translation>副本的啟動與故障</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Weight precisions</source>
      <translation>權重精度</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Those that the search may use.</source>
      <translation>搜尋可使用的精度。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>KV precisions</source>
      <translation>KV 精度</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Longest request that must be served; 0: twice the mean.</source>
      <translation>必須服務的最長請求；0：平均的兩倍。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Instant failover</source>
      <translation>即時容錯移轉</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>A lost replica may simply be replaced: spot is possible.</source>
      <translation>失去的副本可直接替換：可使用 Spot。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Peak rate</source>
      <translation>尖峰速率</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>In the busiest minutes.</source>
      <translation>最忙的幾分鐘內。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Input tokens of a request.</source>
      <translation>每個請求的輸入 token 數。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Generated tokens of a request.</source>
      <translation>每個請求產生的 token 數。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Share of prompt tokens found in the cache.</source>
      <translation>在快取中找到的提示 token 比例。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Priority</source>
      <translation>優先順序</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Lower goes first.</source>
      <translation>數字小的先處理。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Targets</source>
      <translation>目標</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>TTFT, TPOT (mean of a request), ITL (each token) or E2E.</source>
      <translation>TTFT、TPOT（每請求平均）、ITL（每個 token）或 E2E。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Percentile</source>
      <translation>百分位數</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Arrivals</source>
      <translation>到達方式</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Poisson; gamma by its burstiness; bursts by the busiest windows; as in the trace.</source>
      <translation>Poisson；依突發性的 gamma；依最忙時段的突發；或依紀錄。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>CV of the gaps between requests; 1 is Poisson.</source>
      <translation>請求間隔的變異係數；1 為 Poisson。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Busiest second</source>
      <translation>最忙的一秒</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Over the mean of its hour; for bursts.</source>
      <translation>與該小時平均之比；用於突發。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Busiest 10 s</source>
      <translation>最忙的 10 秒</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Busiest minute</source>
      <translation>最忙的一分鐘</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Average load of a day as a share of its peak.</source>
      <translation>一天的平均負載佔尖峰的比例。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Load by hour</source>
      <translation>每小時負載</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>From midnight, only ratios matter; empty: a cosine.</source>
      <translation>自午夜起，只看比例；留空：餘弦。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Load by day</source>
      <translation>每日負載</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>From Monday, only ratios matter; a day left out has none; empty: all alike.</source>
      <translation>從星期一開始，只有比例有意義；未填的日子沒有負載；空白：每天相同。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>0.5: half more each year.</source>
      <translation>0.5：每年增加一半。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Trace</source>
      <translation>紀錄</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Recorded traffic that these figures come from.</source>
      <translation>這些數字所依據的流量紀錄。</translation>
    </message>
    <message>
      <location filename="domain/traffic_figures.py" />
      <source>Mean rate</source>
      <translation>平均速率</translation>
    </message>
    <message>
      <location filename="domain/traffic_figures.py" />
      <source>Over the mean; 0: too short to tell.</source>
      <translation>與平均之比；0：太短而無法得知。</translation>
    </message>
    <message>
      <location filename="domain/traffic_figures.py" />
      <source>Over the mean.</source>
      <translation>與平均之比。</translation>
    </message>
    <message>
      <location filename="domain/traffic_figures.py" />
      <source>CV of the gaps between requests; 0: too short to tell.</source>
      <translation>請求間隔的變異係數；0：太短而無法得知。</translation>
    </message>
    <message>
      <location filename="domain/traffic_figures.py" />
      <source>Correlation</source>
      <translation>相關</translation>
    </message>
    <message>
      <location filename="domain/traffic_figures.py" />
      <source>Of the ranks of prompt and answer.</source>
      <translation>提示與回答的等級相關。</translation>
    </message>
    <message>
      <location filename="domain/traffic_figures.py" />
      <source>Prefix share</source>
      <translation>前綴比例</translation>
    </message>
    <message>
      <location filename="domain/traffic_figures.py" />
      <source>Of prompt tokens, in an unlimited cache; none: not told.</source>
      <translation>提示 token 在無限快取下的比例；無：未註明。</translation>
    </message>
    <message>
      <location filename="domain/traffic_figures.py" />
      <source>p50</source>
      <translation>p50</translation>
    </message>
    <message>
      <location filename="domain/traffic_figures.py" />
      <source>p90</source>
      <translation>p90</translation>
    </message>
    <message>
      <location filename="domain/traffic_figures.py" />
      <source>p99</source>
      <translation>p99</translation>
    </message>
    <message>
      <location filename="domain/traffic_figures.py" />
      <source>Longest</source>
      <translation>最長</translation>
    </message>
    <message>
      <location filename="domain/traffic_figures.py" />
      <source>Spread</source>
      <translation>離散</translation>
    </message>
    <message>
      <location filename="domain/traffic_figures.py" />
      <source>Standard deviation of the logarithm.</source>
      <translation>對數的標準差。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Share of the year; 0.999 allows 8.8 h.</source>
      <translation>佔全年的比例；0.999 容許 8.8 小時。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Spare replicas</source>
      <translation>備援副本</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>N+1 has one.</source>
      <translation>N+1 為一個。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Zones</source>
      <translation>區域數</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>The service survives the loss of one, if more than one.</source>
      <translation>超過一個時，失去其中之一服務仍可維持。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Target utilisation</source>
      <translation>目標使用率</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Of the rate that just meets the targets; the rest is headroom.</source>
      <translation>佔剛好符合目標之速率的比例；其餘為餘裕。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>How requests are spread over replicas; prefix affinity keeps a session on the replica that knows it.</source>
      <translation>請求如何分配到各副本；前綴親和讓同一工作階段留在已有其前綴的副本上。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Provision</source>
      <translation>佈建</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Until the machine is there.</source>
      <translation>直到機器備妥。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Image</source>
      <translation>映像檔</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Pull and start the container.</source>
      <translation>下載並啟動容器。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Weights, one replica</source>
      <translation>權重，單一副本</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>What one replica can read at.</source>
      <translation>單一副本可讀取的速率。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Weights, all replicas</source>
      <translation>權重，所有副本</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>What the store gives all of them together.</source>
      <translation>儲存可供應全部副本的總速率。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Compile</source>
      <translation>編譯</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Capture graphs</source>
      <translation>擷取 graph</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Warm up</source>
      <translation>暖機</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Autoscaler's window</source>
      <translation>自動擴縮視窗</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Until it notices that load has grown.</source>
      <translation>直到察覺負載成長。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Keep alive</source>
      <translation>保持運作</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Idle time after which the last replica would be switched off.</source>
      <translation>最後一個副本關閉前的閒置時間。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Replaced at once</source>
      <translation>同時替換</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>When a new model is brought to all.</source>
      <translation>將新模型推到全部副本時。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Between failures</source>
      <translation>故障間隔</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Mean time of one replica; 720 h.</source>
      <translation>單一副本的平均時間；720 小時。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Repair</source>
      <translation>修復</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Until a failed replica serves again; 3.6 h.</source>
      <translation>直到故障的副本恢復服務；3.6 小時。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Sequences decoded together.</source>
      <translation>同時解碼的序列數。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Of device memory that the engine may take.</source>
      <translation>引擎可佔用的裝置記憶體比例。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>KV block</source>
      <translation>KV 區塊</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Draft tokens</source>
      <translation>草稿 token 數</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Per step of speculative decoding; 0: none.</source>
      <translation>推測解碼每步的數量；0：不使用。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Chance that a drafted token is kept if the one before was.</source>
      <translation>前一個草稿 token 被保留時，下一個也被保留的機率。</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Draft's size</source>
      <translation>草稿模型大小</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Over the model's, in weights, cache and time; 0: n-grams; empty: a head of one layer.</source>
      <translation>相對於模型的權重、快取與時間；0：n-gram；留空：一層的預測頭。</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Only these; empty: the whole catalogue.</source>
      <translation>只用這些；留空：整份型錄。</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Vendors</source>
      <translation>廠商</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Kinds</source>
      <translation>種類</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>GPU, TPU, CPU, NPU…</source>
      <translation>GPU、TPU、CPU、NPU…</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Ecosystems</source>
      <translation>生態系</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>CUDA, ROCm…</source>
      <translation>CUDA、ROCm…</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Data-centre licence</source>
      <translation>資料中心授權</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Only devices whose driver may be used in a data centre.</source>
      <translation>只限驅動程式可用於資料中心的裝置。</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Air-gapped site</source>
      <translation>隔離網路的場地</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Only devices that are sold: none that a cloud alone offers.</source>
      <translation>只限有販售的裝置：不含僅由雲端提供者。</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Devices per replica, at most</source>
      <translation>每個副本的裝置數上限</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Training devices</source>
      <translation>訓練裝置數</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>0: every power of two is tried.</source>
      <translation>0：嘗試每個 2 的次方。</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Training devices, at most</source>
      <translation>訓練裝置數上限</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Tensor parallel across nodes</source>
      <translation>跨節點張量平行</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Off: within the scale-up domain only.</source>
      <translation>關閉：僅在 Scale-up 網域內。</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Network between nodes</source>
      <translation>節點間網路</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>A link of the catalogue; empty: the accelerator's usual one.</source>
      <translation>型錄中的連結；留空：該加速器的一般連結。</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Oversubscription</source>
      <translation>超額訂閱</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>1: every device talks at full rate.</source>
      <translation>1：每個裝置都能以全速通訊。</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Slowest link</source>
      <translation>最慢的連結</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Its rate as a share of nominal: one slow link stalls a job.</source>
      <translation>其速率與標稱之比：一條慢連結會拖住整個工作。</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Include end-of-life</source>
      <translation>包含停售產品</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Devices no longer sold.</source>
      <translation>已不再銷售的裝置。</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Memory headroom</source>
      <translation>記憶體餘裕</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Share of memory to keep free.</source>
      <translation>要保留的記憶體比例。</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Power per rack</source>
      <translation>每機櫃功率</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Power in all</source>
      <translation>總功率</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>What the site offers.</source>
      <translation>場地可提供的量。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Training fleet</source>
      <translation>訓練機群</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>How its devices are paid for.</source>
      <translation>其裝置的付費方式。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Serving fleet</source>
      <translation>服務機群</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Price level</source>
      <translation>價格水準</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Low, typical or high offers of the catalogue.</source>
      <translation>採用型錄的低、一般或高報價。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Quoted prices</source>
      <translation>自訂報價</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Exchange rates</source>
      <translation>匯率</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Currency shown</source>
      <translation>顯示幣別</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Horizon</source>
      <translation>規劃期間</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>For lifetime cost of a service.</source>
      <translation>用於服務的生命週期成本。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Budget of the service</source>
      <translation>服務預算</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>For the whole fleet.</source>
      <translation>整個機群。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Trend of rental prices</source>
      <translation>租用價格趨勢</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>-0.2: a fifth cheaper each year.</source>
      <translation>-0.2：每年便宜五分之一。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Requests of a user</source>
      <translation>每位使用者的請求數</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>For the cost of a user in a month.</source>
      <translation>用於計算每位使用者的每月成本。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Mean time until a spot node is taken away.</source>
      <translation>Spot 節點被收回前的平均時間。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Fleets over time</source>
      <translation>各期機群</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Rental bill</source>
      <translation>租用帳款</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Beside the devices.</source>
      <translation>裝置以外的費用。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Weights of the ranking</source>
      <translation>排名的權重</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Owning</source>
      <translation>自有條件</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Power and site</source>
      <translation>電力與場地</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Catalogue id.</source>
      <translation>型錄識別碼。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Note</source>
      <translation>附註</translation>
    </message>
    <message>
      <location filename="domain/quantity.py" />
      <source>Amount</source>
      <translation>金額</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Training runs</source>
      <translation>訓練次數</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Runs like this one, evenly spread.</source>
      <translation>與此相同的訓練，平均分布。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>First run starts</source>
      <translation>第一次訓練開始</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>After the plan begins.</source>
      <translation>規劃開始後。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Time for a run</source>
      <translation>一次訓練的時段</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Empty: the deadline, or 30 days.</source>
      <translation>留空：期限，或 30 天。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Service opens</source>
      <translation>服務上線時間</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>After the plan begins; empty: after the first run.</source>
      <translation>規劃開始後；留空：第一次訓練之後。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Changing over</source>
      <translation>切換</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Share of idle hours lost where training takes them.</source>
      <translation>訓練利用閒置時數時損失的比例。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Virtualisation, training</source>
      <translation>虛擬化，訓練</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Work lost to it; 0: bare metal.</source>
      <translation>因此損失的工作；0：裸機。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Virtualisation, serving</source>
      <translation>虛擬化，推論服務</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Egress price</source>
      <translation>資料外傳價格</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Data moved out, list price to the internet.</source>
      <translation>移出的資料，對網際網路的牌價。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Egress, service</source>
      <translation>資料外傳，服務</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>In a month: answers, logs, copies.</source>
      <translation>每月：回答、記錄、複本。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Egress, training</source>
      <translation>資料外傳，訓練</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>In a run: checkpoints and data that are moved.</source>
      <translation>每次訓練：移動的檢查點與資料。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Stored</source>
      <translation>儲存量</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Held all year for each workload; runs share their year's.</source>
      <translation>每種工作負載全年保存；各次訓練分攤該年的費用。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Object store; fast file systems cost 0.14.</source>
      <translation>物件儲存；高速檔案系統為 0.14。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Support</source>
      <translation>支援</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Share of the rest of the bill.</source>
      <translation>佔其餘帳款的比例。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Usual spreads</source>
      <translation>一般離散程度</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>A figure entered without a range takes the one that is usual for it.</source>
      <translation>未填範圍的數字採用其一般的離散程度。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>New product</source>
      <translation>新產品</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Its demand is a guess; else it has a history.</source>
      <translation>需求屬推估；否則有歷史資料。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Tail of the first token.</source>
      <translation>第一個 token 的尾端延遲。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Tail over middle.</source>
      <translation>尾端與中位數之比。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Probability that every target is met.</source>
      <translation>符合所有目標的機率。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>On the catalogue's purchase price.</source>
      <translation>適用於型錄的購買價。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Per device.</source>
      <translation>每個裝置。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Freight and commissioning, share of the rest.</source>
      <translation>運費與試運轉，佔其餘的比例。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Share of the purchase price.</source>
      <translation>佔購買價的比例。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Per provisioned kW, power excluded.</source>
      <translation>依供應的每 kW 計，不含電費。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Switches and storage power</source>
      <translation>交換器與儲存的功率</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Share of the nodes' rating.</source>
      <translation>佔節點額定值的比例。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Share of purchase price.</source>
      <translation>佔購買價的比例。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Per device; one engineer per 500.</source>
      <translation>每個裝置；每 500 個裝置一名工程師。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Device availability</source>
      <translation>裝置可用率</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Facility power over IT power.</source>
      <translation>設施用電與 IT 用電之比。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Grid carbon</source>
      <translation>電網碳強度</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Power drawn under load</source>
      <translation>負載下的耗電</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Share of the rated power.</source>
      <translation>佔額定功率的比例。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Embodied carbon</source>
      <translation>隱含碳</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Of making one device with its share of the node.</source>
      <translation>製造一個裝置及其分攤節點所產生的碳。</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Water (WUE)</source>
      <translation>用水 (WUE)</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Evaporated per kWh of the machines; 0: dry cooling.</source>
      <translation>機器每 kWh 蒸發的水量；0：乾式冷卻。</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Identifier</source>
      <translation>識別碼</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Software ecosystem</source>
      <translation>軟體生態系</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Form factor</source>
      <translation>外型規格</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Memory, nominal</source>
      <translation>記憶體（標稱）</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Memory, usable</source>
      <translation>記憶體（可用）</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>What the driver leaves to programs, where stated.</source>
      <translation>驅動程式留給程式使用的容量（若有註明）。</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Memory, largest configuration</source>
      <translation>記憶體（最大配置）</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Memory type</source>
      <translation>記憶體類型</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Memory bus</source>
      <translation>記憶體匯流排</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>All stacks or chips together; with the pin rate it checks the bandwidth.</source>
      <translation>所有堆疊或晶片合計；配合每腳位速率可查核頻寬。</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Memory rate per pin</source>
      <translation>記憶體每腳位速率</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Of the fastest transfer, as 5.2 Gbit/s.</source>
      <translation>最快傳輸的速率，例如 5.2 Gbit/s。</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Peak dense rates</source>
      <translation>稠密峰值速率</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Peak dense rates with FP16 accumulation</source>
      <translation>FP16 累加的稠密峰值速率</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Speed-up by structured sparsity</source>
      <translation>結構化稀疏的加速倍數</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Last-level cache</source>
      <translation>末級快取</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>L2 of a GPU, L3 of a CPU, on-chip memory of an ASIC.</source>
      <translation>GPU 為 L2，CPU 為 L3，ASIC 為晶片內記憶體。</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Compute units</source>
      <translation>運算單元</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Kind of compute unit</source>
      <translation>運算單元的種類</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Boost clock</source>
      <translation>加速時脈</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Power limit</source>
      <translation>功率上限</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Idle power</source>
      <translation>閒置功率</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Scale-out network per device</source>
      <translation>每裝置 Scale-out 網路</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Per direction, as usually built.</source>
      <translation>單向，依一般建置方式。</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Rental price</source>
      <translation>租用價格</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Specification as of</source>
      <translation>規格資料日期</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>How the sources were read</source>
      <translation>來源的解讀方式</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Cross-checks</source>
      <translation>交叉查核</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>FP64 vector</source>
      <translation>FP64 向量</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>FP64 matrix</source>
      <translation>FP64 矩陣</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>FP32</source>
      <translation>FP32</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>TF32</source>
      <translation>TF32</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>FP16</source>
      <translation>FP16</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>With accumulation in FP32.</source>
      <translation>以 FP32 累加。</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>INT8</source>
      <translation>INT8</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>FP6</source>
      <translation>FP6</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>INT4</source>
      <translation>INT4</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>FP16, FP16 accumulation</source>
      <translation>FP16（FP16 累加）</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>FP8, FP16 accumulation</source>
      <translation>FP8（FP16 累加）</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Fabric</source>
      <translation>網路結構</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Rate per device and direction</source>
      <translation>每裝置單向速率</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Sum over the device's links.</source>
      <translation>裝置所有連結的總和。</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Devices in one domain</source>
      <translation>同一網域的裝置數</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Topology</source>
      <translation>拓撲</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Link</source>
      <translation>連結</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Catalogue entry with latency and efficiency.</source>
      <translation>含延遲與效率的型錄項目。</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>PCIe generation</source>
      <translation>PCIe 世代</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Lanes</source>
      <translation>通道數</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Rate per direction</source>
      <translation>單向速率</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Street price, as a range where known.</source>
      <translation>市價，已知時以範圍表示。</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>List price at launch</source>
      <translation>上市時牌價</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Launched</source>
      <translation>上市日期</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Lowest, typical and highest price seen.</source>
      <translation>看到的最低、一般與最高價格。</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Cheapest on demand</source>
      <translation>最便宜的隨需價</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Dearest on demand</source>
      <translation>最貴的隨需價</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Marketplaces</source>
      <translation>市集</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>GPU clouds</source>
      <translation>GPU 雲端</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Hyperscalers</source>
      <translation>超大規模雲端</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Reserved for a year</source>
      <translation>預留一年</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Reserved for three years</source>
      <translation>預留三年</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Offers counted</source>
      <translation>計入的報價數</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Oldest offer</source>
      <translation>最舊的報價</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Newest offer</source>
      <translation>最新的報價</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Compared with</source>
      <translation>比對對象</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Agrees</source>
      <translation>相符</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Figures that differ</source>
      <translation>不一致的數字</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Peak rates</source>
      <translation>峰值速率</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Clocks and units</source>
      <translation>時脈與單元</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Cache</source>
      <translation>快取</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Scale-out network</source>
      <translation>Scale-out 網路</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Accelerators per host</source>
      <translation>每台主機的加速器數</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Network ports</source>
      <translation>網路連接埠</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Scale-out network, whole node</source>
      <translation>整個節點的 Scale-out 網路</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Per direction.</source>
      <translation>單向。</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Host processor</source>
      <translation>主機處理器</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Host memory</source>
      <translation>主機記憶體</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Maximum power</source>
      <translation>最大功率</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Rack units</source>
      <translation>機櫃單位 (U)</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Note on the price</source>
      <translation>價格附註</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Purpose</source>
      <translation>用途</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Ports</source>
      <translation>連接埠數</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Rate of a port, per direction</source>
      <translation>每埠單向速率</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Processor</source>
      <translation>處理器</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Sockets</source>
      <translation>插槽數</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Cores, all sockets</source>
      <translation>核心數（所有插槽）</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Specification</source>
      <translation>規格</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Rate per endpoint and direction</source>
      <translation>每端點單向速率</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Made of</source>
      <translation>所組成的連結</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Latency of the hardware</source>
      <translation>硬體延遲</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Latency of one collective step</source>
      <translation>集合通訊每步的延遲</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Library and launch included.</source>
      <translation>含函式庫與啟動。</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Share of the rate, point to point</source>
      <translation>速率比例，點對點</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Share of the rate, collectives</source>
      <translation>速率比例，集合通訊</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Instance type</source>
      <translation>執行個體類型</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Date known to</source>
      <translation>已知截至日期</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Spot price as of</source>
      <translation>Spot 價格日期</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Source of the spot price</source>
      <translation>Spot 價格來源</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Code</source>
      <translation>代碼</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>File</source>
      <translation>檔案</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Digest</source>
      <translation>摘要值</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>SHA-256 of the file.</source>
      <translation>檔案的 SHA-256。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Imported on</source>
      <translation>匯入日期</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Plans rest on it.</source>
      <translation>方案以其為依據。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Measurements</source>
      <translation>量測</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Figures</source>
      <translation>數字</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Of the file; 0: not one line.</source>
      <translation>檔案的行；0：不只一行。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>What the tool itself says against the result.</source>
      <translation>工具本身對結果的異議。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>As the tool calls it: cpu, cuda, xpu, mps.</source>
      <translation>依工具的稱呼：cpu、cuda、xpu、mps。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>All that took part.</source>
      <translation>參與的全部。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Of the weights; the recipe of a training run.</source>
      <translation>權重的精度；訓練時為精度配方。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Serving engine, or framework of a training run.</source>
      <translation>推論服務引擎，或訓練的框架。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Where predictions take another framework's habits for it.</source>
      <translation>預測採用另一框架的特性時使用。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>closed_loop, open_loop, offline or batch.</source>
      <translation>closed_loop、open_loop、offline 或 batch。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Requests at once; the batch.</source>
      <translation>同時的請求數；批次。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Mean.</source>
      <translation>平均。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>In the cache before the first.</source>
      <translation>第一個之前已在快取中的量。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Answered in the run.</source>
      <translation>本次執行已回答。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Collective, kernel or copy; what ran while power was read.</source>
      <translation>集合通訊、kernel 或複製；讀取功率時所執行的內容。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Of a kernel's operands.</source>
      <translation>kernel 運算元的形狀。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Of the run.</source>
      <translation>本次執行的時間。</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Work lost to it in the run; 0: bare metal.</source>
      <translation>該次執行因此損失的工作量；0：裸機。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Index into the plan's accelerators.</source>
      <translation>方案加速器清單中的索引。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Devices that share each layer.</source>
      <translation>共同分擔每一層的裝置數。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Stages that the layers are cut into.</source>
      <translation>層被切分成的階段數。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Index into the plan's precisions.</source>
      <translation>方案精度清單中的索引。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Emulated</source>
      <translation>模擬</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>The weight format is unpacked before each product.</source>
      <translation>每次乘積前先解開權重格式。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Weights, one request and all overheads fit in memory.</source>
      <translation>權重、一個請求與所有額外負擔都放得進記憶體。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Why it is not recommended; 0: it is.</source>
      <translation>不建議的原因；0：建議。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Reason's value</source>
      <translation>原因的數值</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Meets targets</source>
      <translation>符合目標</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Every latency target, at peak load.</source>
      <translation>尖峰負載下的所有延遲目標。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Of one device.</source>
      <translation>單一裝置。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>In use per device at the planned load.</source>
      <translation>規劃負載下每個裝置的使用量。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>KV pool</source>
      <translation>KV 池</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>What the engine would set aside per device.</source>
      <translation>引擎會為每個裝置預留的量。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Activations</source>
      <translation>活化值</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Runtime</source>
      <translation>執行環境</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Context, graphs, communication buffers; per device.</source>
      <translation>Context、graph、通訊緩衝區；每個裝置。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>That the KV pool holds at mean lengths.</source>
      <translation>KV 池以平均長度可容納的數量。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Mean sequences decoded together at the planned load.</source>
      <translation>規劃負載下同時解碼的平均序列數。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Share of a decode step.</source>
      <translation>解碼步驟中的一部分。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Decode step</source>
      <translation>解碼步驟</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>At the planned batch.</source>
      <translation>在規劃批次下。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Of one mean prompt, alone.</source>
      <translation>單獨處理一個平均長度的提示。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>The resource that bounds the decode step.</source>
      <translation>限制解碼步驟的資源。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>TTFT mean</source>
      <translation>TTFT 平均</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Time to first token at the planned load.</source>
      <translation>規劃負載下第一個 token 的時間。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>TTFT p50</source>
      <translation>TTFT p50</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>TTFT p99</source>
      <translation>TTFT p99</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Time per output token at the planned load.</source>
      <translation>規劃負載下每個輸出 token 的時間。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>ITL p99</source>
      <translation>ITL p99</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Gap between tokens; those of a drafted step come at once.</source>
      <translation>token 之間的間隔；同一步的草稿 token 同時到達。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>E2E mean</source>
      <translation>E2E 平均</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>From request to last token.</source>
      <translation>由請求到最後一個 token。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>TTFT p95 low</source>
      <translation>TTFT p95 低</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Lower end of the 80 % band.</source>
      <translation>80 % 區間的下端。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>TTFT p95 high</source>
      <translation>TTFT p95 高</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Upper end of the 80 % band.</source>
      <translation>80 % 區間的上端。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>TPOT low</source>
      <translation>TPOT 低</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Lower end of the 80 % band of the mean.</source>
      <translation>平均值 80 % 區間的下端。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>TPOT high</source>
      <translation>TPOT 高</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Upper end of the 80 % band of the mean.</source>
      <translation>平均值 80 % 區間的上端。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Saturation</source>
      <translation>飽和</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Rate at which one replica's queue grows without end.</source>
      <translation>單一副本的佇列開始無止境成長的速率。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Rate at targets</source>
      <translation>符合目標的速率</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Largest rate of one replica that meets every target.</source>
      <translation>單一副本符合所有目標的最大速率。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Spares and zones included.</source>
      <translation>含備援與區域。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>All replicas together.</source>
      <translation>所有副本合計。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Load per replica</source>
      <translation>每個副本的負載</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>At peak.</source>
      <translation>尖峰時。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Rate at targets over the load per replica, less one.</source>
      <translation>符合目標的速率與每副本負載之比，減一。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Gain by drafts</source>
      <translation>草稿增益</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Time per token without draft tokens over that with them; under 1 they cost.</source>
      <translation>不用草稿與使用草稿時每個 token 時間之比；低於 1 則得不償失。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>At peak load.</source>
      <translation>尖峰負載下。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Cost per hour</source>
      <translation>每小時成本</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>The whole fleet.</source>
      <translation>整個機群。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>$/M output</source>
      <translation>每百萬輸出 $</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Whole fleet over mean load; prompt included.</source>
      <translation>整個機群除以平均負載；含提示。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>$/M input</source>
      <translation>每百萬輸入 $</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Not cached; split by time in prefill and decode.</source>
      <translation>未快取者；依預填與解碼的時間分攤。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>$/request</source>
      <translation>每請求 $</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>The whole fleet, at the site.</source>
      <translation>整個機群，於場地。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Order</source>
      <translation>排序</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Candidates from best to worst; those that cannot run come last.</source>
      <translation>候選方案由最佳到最差；無法執行者排在最後。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Copies that share the batch.</source>
      <translation>共同分擔批次的副本。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Devices that share each sequence.</source>
      <translation>共同分擔每個序列的裝置數。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Devices that share the experts.</source>
      <translation>共同分擔專家的裝置數。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>What the copies share: 1 optimizer, 2 gradients, 3 weights.</source>
      <translation>各副本分割的內容：1 最佳化器，2 梯度，3 權重。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>0 none, 1 selective, 2 full.</source>
      <translation>0 無，1 選擇性，2 完整。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Of an interleaved pipeline.</source>
      <translation>交錯式管線適用。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Share of the layers that are recomputed in full.</source>
      <translation>完整重新計算的層所佔比例。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>State, activations and overheads fit in memory.</source>
      <translation>狀態、活化值與額外負擔都放得進記憶體。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Deadline and budget.</source>
      <translation>期限與預算。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Per device, micro-batches in flight included.</source>
      <translation>每個裝置，含進行中的微批次。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Logits and loss</source>
      <translation>Logits 與損失</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>On the last stage.</source>
      <translation>位於最後一個階段。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Context, communication buffers, fragmentation.</source>
      <translation>Context、通訊緩衝區、記憶體碎片。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Forward, backward and recomputation, bound by compute.</source>
      <translation>前向、反向與重新計算，受運算限制。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Part bound by memory traffic, optimizer included.</source>
      <translation>受記憶體流量限制的部分，含最佳化器。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Tensor-parallel communication</source>
      <translation>張量平行通訊</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Not hidden.</source>
      <translation>未隱藏的部分。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Data-parallel communication</source>
      <translation>資料平行通訊</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Pipeline communication</source>
      <translation>管線通訊</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Expert and context communication</source>
      <translation>專家與上下文通訊</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Pipeline bubble</source>
      <translation>管線氣泡</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Stages that wait.</source>
      <translation>等待中的階段。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>The input pipeline is slower than the step.</source>
      <translation>輸入管線比訓練步驟慢。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Step time low</source>
      <translation>單步時間 低</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Step time high</source>
      <translation>單步時間 高</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>The resource that takes most of the step.</source>
      <translation>單步中耗時最多的資源。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>All devices.</source>
      <translation>所有裝置。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Model FLOPs over peak of the recipe's precision.</source>
      <translation>模型 FLOP 與該精度配方峰值之比。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>HFU</source>
      <translation>HFU</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Recomputation counted as well.</source>
      <translation>連同重新計算一併計入。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Share of time that moves the run forward.</source>
      <translation>推進訓練的時間比例。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Losses and start-up included.</source>
      <translation>含損失與啟動時間。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Retries, validation and experiments included.</source>
      <translation>含重試、驗證與實驗。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>At the site.</source>
      <translation>於場地。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>All devices, at the site.</source>
      <translation>所有裝置，於場地。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Checkpoint interval</source>
      <translation>檢查點間隔</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Daly's optimum.</source>
      <translation>Daly 的最佳值。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Checkpoint storage</source>
      <translation>檢查點儲存空間</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>For those kept, and the one that is being written.</source>
      <translation>供保留的檢查點以及正在寫入的那一個使用。</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Micro-batches whose activations the stage holds at once.</source>
      <translation>此階段同時持有其活化值的微批次數。</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Buffers</source>
      <translation>緩衝區</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Weights that ZeRO-3 gathers for use, buckets.</source>
      <translation>ZeRO-3 為使用而收集的權重、分桶。</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Fragmentation</source>
      <translation>記憶體碎片</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Reserved by the allocator and not used.</source>
      <translation>由配置器保留但未使用。</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Libraries and communication</source>
      <translation>函式庫與通訊</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Beside the allocator's memory.</source>
      <translation>配置器記憶體以外。</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Memory of a device</source>
      <translation>單一裝置的記憶體</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Spread of peak memory</source>
      <translation>記憶體峰值的離散</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Of published peaks about predictions that had not seen them.</source>
      <translation>公開峰值相對於未曾參考這些峰值的預測。</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Forward work done again to save memory.</source>
      <translation>為節省記憶體而重做的前向工作。</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Expert-parallel communication</source>
      <translation>專家平行通訊</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Context-parallel communication</source>
      <translation>上下文平行通訊</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Micro-batches</source>
      <translation>微批次數</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Of each copy in a step.</source>
      <translation>每個副本在一步中的數量。</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Rates</source>
      <translation>速率</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>ITL mean</source>
      <translation>ITL 平均</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>KV use</source>
      <translation>KV 快取使用率</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Max rate</source>
      <translation>最大速率</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>SLO rate</source>
      <translation>符合目標的速率</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Planned rate</source>
      <translation>規劃速率</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Peak</source>
      <translation>峰值</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Measured bandwidth</source>
      <translation>實測頻寬</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Points</source>
      <translation>點</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Batches</source>
      <translation>批次</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Context tokens</source>
      <translation>上下文 token 數</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Decode ceiling</source>
      <translation>解碼上限</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Host</source>
      <translation>主機</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Planned batch</source>
      <translation>規劃批次</translation>
    </message>
    <message>
      <location filename="domain/plan.py" />
      <source>Crossover batch</source>
      <translation>轉折批次</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Strategies</source>
      <translation>策略</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Misplaced</source>
      <translation>錯置</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Windows</source>
      <translation>訓練時段</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Kinds of device weighed</source>
      <translation>評估的裝置種類</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Timeline</source>
      <translation>時程</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Cost of devices</source>
      <translation>裝置成本</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Device-hours paid</source>
      <translation>付費的裝置小時</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Device-hours trained</source>
      <translation>訓練使用的裝置小時</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Device-hours served</source>
      <translation>服務使用的裝置小時</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Paid for</source>
      <translation>已付費</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Of that, used</source>
      <translation>其中已使用</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Busy share</source>
      <translation>忙碌比例</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Memory capacity</source>
      <translation>記憶體容量</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Host and storage</source>
      <translation>主機與儲存</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Slowdown</source>
      <translation>變慢倍數</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Cost elsewhere</source>
      <translation>改用別處的成本</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Price of a device with its server</source>
      <translation>含伺服器的裝置單價</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Annual</source>
      <translation>每年</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Depreciation alone</source>
      <translation>僅折舊</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Owned hour</source>
      <translation>自有每小時成本</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Owned hour of work</source>
      <translation>自有每工作小時成本</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Owners</source>
      <translation>持有者</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Investment</source>
      <translation>投資</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Commitments</source>
      <translation>承諾用量</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Commitment</source>
      <translation>承諾用量</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Unit costs</source>
      <translation>單位成本</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Levers</source>
      <translation>節省手段</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Replicas by year</source>
      <translation>各年的副本</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Devices and servers</source>
      <translation>裝置與伺服器</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Break-even use</source>
      <translation>損益兩平使用率</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>USD by year</source>
      <translation>各年的美元金額</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Owned device-hour</source>
      <translation>自有裝置小時成本</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Rent saved</source>
      <translation>省下的租金</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Cash flows</source>
      <translation>現金流</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Net present value</source>
      <translation>淨現值</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Internal rate of return</source>
      <translation>內部報酬率</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Payback</source>
      <translation>回收期</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Three years</source>
      <translation>三年</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>One year</source>
      <translation>一年</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>By the hour</source>
      <translation>按小時</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Paid in the year</source>
      <translation>當年支付</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Mean power of the machines</source>
      <translation>機器平均功率</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Mean power at the meter</source>
      <translation>電表平均功率</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Rated power</source>
      <translation>額定功率</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Carbon of electricity</source>
      <translation>用電的碳排</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Carbon of manufacture</source>
      <translation>製造碳排</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Water</source>
      <translation>用水</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Energy per M tokens</source>
      <translation>每百萬 token 能源</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Carbon per M tokens</source>
      <translation>每百萬 token 碳排</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Spread of the power</source>
      <translation>功率的離散程度</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Carbon</source>
      <translation>碳排</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Saved alone</source>
      <translation>單獨採用的節省</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Saved in turn</source>
      <translation>依序採用的節省</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Headlines</source>
      <translation>主要結果</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Tornados</source>
      <translation>敏感度</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Probabilities</source>
      <translation>機率</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Rivals</source>
      <translation>競爭方案</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Middle</source>
      <translation>中間值</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Bars</source>
      <translation>長條</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Low input</source>
      <translation>輸入下限</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>High input</source>
      <translation>輸入上限</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Result at low</source>
      <translation>輸入下限時的結果</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Result at high</source>
      <translation>輸入上限時的結果</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Differing</source>
      <translation>相異輸入</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Beats</source>
      <translation>勝過的比例</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Scores</source>
      <translation>評分</translation>
    </message>
    <message>
      <location filename="domain/decision.py" />
      <source>Values</source>
      <translation>數值</translation>
    </message>
    <message>
      <location filename="domain/candidate_curves.py" />
      <source>Model parameters</source>
      <translation>模型參數數</translation>
    </message>
    <message>
      <location filename="domain/candidate_curves.py" />
      <source>Model context</source>
      <translation>模型上下文長度</translation>
    </message>
    <message>
      <location filename="domain/candidate_curves.py" />
      <source>Free</source>
      <translation>剩餘</translation>
    </message>
    <message>
      <location filename="domain/candidate_curves.py" />
      <source>Largest concurrency</source>
      <translation>最大並行數</translation>
    </message>
    <message>
      <location filename="domain/candidate_curves.py" />
      <source>Longest context</source>
      <translation>最長上下文</translation>
    </message>
    <message>
      <location filename="domain/candidate_curves.py" />
      <source>Contexts</source>
      <translation>上下文長度</translation>
    </message>
    <message>
      <location filename="domain/candidate_curves.py" />
      <source>Concurrency by context</source>
      <translation>各上下文長度的並行數</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Band</source>
      <translation>區間</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Throughput</source>
      <translation>吞吐量</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Peak KV use</source>
      <translation>KV 快取尖峰使用率</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Preemptions</source>
      <translation>搶占次數</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Rejected</source>
      <translation>拒絕數</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Is overloaded</source>
      <translation>是否過載</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Closed TTFT</source>
      <translation>封閉式負載 TTFT</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Closed ITL</source>
      <translation>封閉式負載 ITL</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>TTFT differs</source>
      <translation>TTFT 差異</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>ITL differs</source>
      <translation>ITL 差異</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Knee rate</source>
      <translation>轉折點速率</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Operating rate</source>
      <translation>運轉速率</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Base</source>
      <translation>基本副本數</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Spares</source>
      <translation>備援數</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Replica availability</source>
      <translation>副本可用度</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Enough up share</source>
      <translation>副本足夠的時間比例</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Availability target</source>
      <translation>可用度目標</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Needed for availability</source>
      <translation>達成可用度所需</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Slots</source>
      <translation>時段</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Waiting share</source>
      <translation>等待的比例</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Start</source>
      <translation>啟動</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Start together</source>
      <translation>同時啟動</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Rollout</source>
      <translation>更新部署</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Static replica hours</source>
      <translation>固定副本的副本小時</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Autoscaled replica hours</source>
      <translation>自動擴縮的副本小時</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Committed</source>
      <translation>承諾的副本數</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Price ratio</source>
      <translation>價格比</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Idle gap</source>
      <translation>閒置間隔</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Scale to zero saving</source>
      <translation>縮減至零的節省</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Cold share</source>
      <translation>遇到冷副本的比例</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Graph capture</source>
      <translation>擷取計算圖</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Simulated replicas</source>
      <translation>模擬的副本數</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Steady</source>
      <translation>無干擾</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Tests</source>
      <translation>測試</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Factor</source>
      <translation>倍數</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Replicas hit</source>
      <translation>受影響的副本數</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Unanswered</source>
      <translation>未回覆數</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Shared</source>
      <translation>共用</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Shared with priorities</source>
      <translation>依優先順序共用</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Separate</source>
      <translation>分開</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Cost per replica hour</source>
      <translation>每副本小時成本</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Most</source>
      <translation>最多</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Transfer</source>
      <translation>傳輸</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Winner</source>
      <translation>最佳設定</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Runners up</source>
      <translation>次佳設定</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Considered</source>
      <translation>考慮的設定數</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Simulated</source>
      <translation>模擬的設定數</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Max sequences</source>
      <translation>最大序列數</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Token budget</source>
      <translation>Token 預算</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Tightest</source>
      <translation>最緊的目標</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Rate needed</source>
      <translation>所需速率</translation>
    </message>
    <message>
      <location filename="domain/load_result.py" />
      <source>Price factor</source>
      <translation>價格倍數</translation>
    </message>
    <message>
      <location filename="domain/phase_gain.py" />
      <source>Gains</source>
      <translation>增益</translation>
    </message>
    <message>
      <location filename="domain/phase_gain.py" />
      <source>Ratio of datasheet figures</source>
      <translation>規格數字之比</translation>
    </message>
    <message>
      <location filename="domain/phase_gain.py" />
      <source>First</source>
      <translation>第一個</translation>
    </message>
    <message>
      <location filename="domain/phase_gain.py" />
      <source>Second</source>
      <translation>第二個</translation>
    </message>
    <message>
      <location filename="domain/phase_gain.py" />
      <source>Gain, low</source>
      <translation>增益下限</translation>
    </message>
    <message>
      <location filename="domain/phase_gain.py" />
      <source>Gain, high</source>
      <translation>增益上限</translation>
    </message>
    <message>
      <location filename="domain/phase_gain.py" />
      <source>Missing memory</source>
      <translation>不足的記憶體</translation>
    </message>
    <message>
      <location filename="domain/phase_gain.py" />
      <source>Smallest batch</source>
      <translation>最小批次</translation>
    </message>
    <message>
      <location filename="domain/phase_gain.py" />
      <source>Pairs of results</source>
      <translation>成對的結果數</translation>
    </message>
    <message>
      <location filename="domain/phase_gain.py" />
      <source>Smallest gain</source>
      <translation>最小增益</translation>
    </message>
    <message>
      <location filename="domain/phase_gain.py" />
      <source>Median gain</source>
      <translation>增益中位數</translation>
    </message>
    <message>
      <location filename="domain/phase_gain.py" />
      <source>Largest gain</source>
      <translation>最大增益</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Stages</source>
      <translation>階段</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Micro batches</source>
      <translation>微批次</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Tasks</source>
      <translation>工作</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Idle share</source>
      <translation>閒置比例</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Micro batch</source>
      <translation>微批次</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>End</source>
      <translation>結束</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Can run</source>
      <translation>可執行</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Scaling efficiency</source>
      <translation>擴展效率</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Communication</source>
      <translation>通訊</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Marginal cost</source>
      <translation>邊際成本</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Knee</source>
      <translation>轉折點</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Layouts tried</source>
      <translation>嘗試的配置數</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Layouts that fit</source>
      <translation>放得下的配置數</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Pareto front</source>
      <translation>Pareto 前緣</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Front of</source>
      <translation>前緣目標</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Lost by</source>
      <translation>落後量</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Of that</source>
      <translation>其中</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Slower</source>
      <translation>較慢</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Largest that fits</source>
      <translation>放得下的最大值</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Memory of all devices</source>
      <translation>全部裝置的記憶體</translation>
    </message>
    <message>
      <location filename="domain/training_results.py" />
      <source>Memory per parameter</source>
      <translation>每參數記憶體</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Sets</source>
      <translation>量測組</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Verdicts</source>
      <translation>判定</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Drift</source>
      <translation>漂移</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Next runs</source>
      <translation>接下來的量測</translation>
    </message>
    <message>
      <location filename="drawing/calibration.py" />
      <source>Next training</source>
      <translation>接下來的訓練量測</translation>
    </message>
    <message>
      <location filename="engine/evidence/knowledge.py" />
      <source>Point</source>
      <translation>量測點</translation>
    </message>
    <message>
      <location filename="engine/evidence/knowledge.py" />
      <source>After</source>
      <translation>之後</translation>
    </message>
    <message>
      <location filename="engine/evidence/knowledge.py" />
      <source>Standardised</source>
      <translation>標準化</translation>
    </message>
    <message>
      <location filename="domain/local_calibration.py" />
      <source>Shares</source>
      <translation>比例</translation>
    </message>
    <message>
      <location filename="domain/local_calibration.py" />
      <source>Log residual</source>
      <translation>對數殘差</translation>
    </message>
    <message>
      <location filename="engine/evidence/drift.py" />
      <source>Median log residual</source>
      <translation>對數殘差中位數</translation>
    </message>
    <message>
      <location filename="engine/evidence/next_measurement.py" />
      <source>Width before</source>
      <translation>量測前的區間寬度</translation>
    </message>
    <message>
      <location filename="engine/evidence/next_measurement.py" />
      <source>Width after</source>
      <translation>量測後的區間寬度</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Training device</source>
      <translation>訓練裝置</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Serving device</source>
      <translation>服務裝置</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>More share</source>
      <translation>增加比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Serving devices</source>
      <translation>服務裝置</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Cost ratio</source>
      <translation>成本比</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>More cost per month</source>
      <translation>每月增加成本</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Drafts</source>
      <translation>草稿數</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Longer share</source>
      <translation>增加的比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Band factor</source>
      <translation>區間倍數</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Up share</source>
      <translation>可用時間比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Target share</source>
      <translation>目標比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Allowed</source>
      <translation>允許值</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Alone</source>
      <translation>單獨</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Read</source>
      <translation>讀取量</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Interruptions</source>
      <translation>中斷次數</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Lost share</source>
      <translation>損失比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Interval</source>
      <translation>間隔時間</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Lost</source>
      <translation>損失</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Load share</source>
      <translation>負載比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Carried</source>
      <translation>可承受量</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Burst</source>
      <translation>突發倍數</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Elasticity</source>
      <translation>彈性係數</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Rent 1y</source>
      <translation>租用 1 年</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Rent 3y</source>
      <translation>租用 3 年</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Price cost per hour</source>
      <translation>每小時價格</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Other cost per hour</source>
      <translation>另一方案每小時成本</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Saved share</source>
      <translation>節省比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Spot cost per hour</source>
      <translation>Spot 每小時成本</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Stretch share</source>
      <translation>延長比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Use share</source>
      <translation>使用率</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Break even share</source>
      <translation>損益兩平使用率</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Extra cost per year</source>
      <translation>每年額外成本</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Fabric share</source>
      <translation>網路費用佔比</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Fabric cost per month</source>
      <translation>每月網路成本</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Used share</source>
      <translation>使用比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Unused cost per month</source>
      <translation>每月未使用成本</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Memory share</source>
      <translation>記憶體佔比</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Other cost per month</source>
      <translation>另一方案每月成本</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Mixed cost per month</source>
      <translation>每月混合成本</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Mean over peak share</source>
      <translation>平均與尖峰之比</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Age</source>
      <translation>資料年齡</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Single cost per month</source>
      <translation>每月單一成本</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Over</source>
      <translation>超出量</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Single TPOT</source>
      <translation>單一請求 TPOT</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Cache format</source>
      <translation>快取格式</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Gap</source>
      <translation>間隔</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Saved cost per month</source>
      <translation>每月節省成本</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Host share</source>
      <translation>主機佔比</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Compute share</source>
      <translation>運算佔比</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Flops ratio</source>
      <translation>運算量比</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Budget cost per month</source>
      <translation>每月預算</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Usual</source>
      <translation>通常值</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Headroom share</source>
      <translation>餘裕比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Idle cost per month</source>
      <translation>每月閒置成本</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Ratio</source>
      <translation>比值</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>P99</source>
      <translation>P99</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>High share</source>
      <translation>高比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Pool</source>
      <translation>資源池</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Node</source>
      <translation>節點</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Other device</source>
      <translation>另一個裝置</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Wasted</source>
      <translation>浪費量</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Tensor share</source>
      <translation>張量佔比</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Network share</source>
      <translation>網路佔比</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Count</source>
      <translation>數量</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Domain</source>
      <translation>互連域</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Free share</source>
      <translation>剩餘比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Activation share</source>
      <translation>活化值佔比</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Spare share</source>
      <translation>備援比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Device hours</source>
      <translation>裝置小時</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Usual share</source>
      <translation>通常比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Rate share</source>
      <translation>速率比例</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Saved</source>
      <translation>節省</translation>
    </message>
    <message>
      <location filename="engine/advisor" />
      <source>Scaling share</source>
      <translation>擴展效率</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>The first token comes later than a person waits without noticing or without turning away.</source>
      <translation>第一個 token 太晚出現，使用者已察覺等待或放棄離開。</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>Prompts in between stretch the gap between two tokens until a reader notices.</source>
      <translation>穿插的提示拉長了兩個 token 之間的間隔，讀者會察覺。</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>The slowest requests wait many times as long as the usual ones.</source>
      <translation>最慢的請求等待時間是一般請求的許多倍。</translation>
    </message>
    <message>
      <location filename="engine/advisor/draft_rules.py" />
      <source>Tokens are drafted although none or fewer drafts would serve this load faster or at less cost.</source>
      <translation>使用了草稿 token，但不用或減少草稿能以更快或更低的成本服務此負載。</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>So little is left to the targets that any error of the plan breaks them.</source>
      <translation>距離目標的餘裕過小，方案稍有誤差即無法達成。</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>What stands ready and is not used, as a price: part of it is the headroom that targets need.</source>
      <translation>備妥而未使用的容量的價格：其中一部分是達成目標所需的餘裕。</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>Much of a decode step waits for the host: a faster accelerator would not help.</source>
      <translation>解碼步驟有大半時間在等主機：更快的加速器也無濟於事。</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>At the planned load with long requests the KV cache is nearly or more than full: requests would be preempted.</source>
      <translation>在規劃負載且請求較長時，KV 快取接近或超過滿載：請求會被搶占。</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>A replica spans several devices although one would hold the model: the reason is latency or cost, said here.</source>
      <translation>一個裝置即可容納模型，副本卻跨多個裝置：原因是延遲或成本，於此說明。</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>The weights' format has no matrix units here and is unpacked before each product.</source>
      <translation>此裝置沒有支援該權重格式的矩陣單元，每次乘積前都要先解開。</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>The plan stands or falls with a quantised model whose quality nobody has checked yet.</source>
      <translation>方案的成敗取決於尚未有人查核品質的量化模型。</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>The device with the highest peak rate is not the cheapest that serves this load within its targets.</source>
      <translation>峰值速率最高的裝置，並非在目標內服務此負載最便宜的裝置。</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>Requests are so rare that switching off between them would pay, if a first request may wait for the start.</source>
      <translation>請求稀少，若第一個請求可等待啟動，閒置時關閉即划算。</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>The recommendation rests on a datasheet: no device of its kind was timed.</source>
      <translation>此建議依據規格表：同類裝置沒有計時資料。</translation>
    </message>
    <message>
      <location filename="engine/advisor/evidence_rules.py" />
      <source>Own measurements exist, and none of them is of serving.</source>
      <translation>已有自己的量測，但沒有任何推論服務的量測。</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>Nothing meets every latency target, not even a replica without load.</source>
      <translation>沒有任何方案符合所有延遲目標，即使是無負載的副本也不行。</translation>
    </message>
    <message>
      <location filename="engine/advisor/serving_rules.py" />
      <source>The cheapest fleet costs more in a month than there is money for.</source>
      <translation>最便宜的機群每月成本也超過預算。</translation>
    </message>
    <message>
      <location filename="engine/advisor/failure_rules.py" />
      <source>With one replica lost the others are over the rate at which they meet their targets.</source>
      <translation>失去一個副本時，其餘副本的負載超過仍能達成目標的速率。</translation>
    </message>
    <message>
      <location filename="engine/advisor/failure_rules.py" />
      <source>Too often fewer replicas are up than the peak needs.</source>
      <translation>運作中的副本太常少於尖峰所需。</translation>
    </message>
    <message>
      <location filename="engine/advisor/failure_rules.py" />
      <source>A burst half as high again as the planned peak fills queues without end.</source>
      <translation>比規劃尖峰高出一半的突發負載會使佇列無止境地增長。</translation>
    </message>
    <message>
      <location filename="engine/advisor/failure_rules.py" />
      <source>Replicas that start together, as after an outage, wait for the store that all of them read.</source>
      <translation>同時啟動的副本（例如停機之後）會等待共同讀取的儲存系統。</translation>
    </message>
    <message>
      <location filename="engine/advisor/failure_rules.py" />
      <source>A service with targets that cannot fail over at once runs on capacity that may be taken away.</source>
      <translation>具有目標且無法立即容錯移轉的服務，跑在可能被收回的容量上。</translation>
    </message>
    <message>
      <location filename="engine/advisor/money_rules.py" />
      <source>The same fleet costs less on another term that ends within the horizon.</source>
      <translation>在規劃期間內到期的另一種租期下，同一機群成本較低。</translation>
    </message>
    <message>
      <location filename="engine/advisor/money_rules.py" />
      <source>A reserved base with hourly capacity above it, against the whole fleet by the hour.</source>
      <translation>以預留容量為基底、其上按小時租用，與整個機群按小時租用比較。</translation>
    </message>
    <message>
      <location filename="engine/advisor/money_rules.py" />
      <source>A service pays for links between devices that it hardly uses.</source>
      <translation>服務為幾乎用不到的裝置間連結付費。</translation>
    </message>
    <message>
      <location filename="engine/advisor/money_rules.py" />
      <source>The allowed devices are hardly used, and one that the planner left out would do for less.</source>
      <translation>允許的裝置幾乎未被充分使用，而被排除的裝置能以更低成本勝任。</translation>
    </message>
    <message>
      <location filename="engine/advisor/site_rules.py" />
      <source>Power of a rack, power in all, and the kind of cooling, against what the site offers.</source>
      <translation>單一機櫃功率、總功率與冷卻方式，與場地所能提供者比較。</translation>
    </message>
    <message>
      <location filename="engine/advisor/site_rules.py" />
      <source>The driver of the recommended device is not licensed in a data centre; what the next best one costs.</source>
      <translation>建議裝置的驅動程式未授權用於資料中心；次佳裝置的成本。</translation>
    </message>
    <message>
      <location filename="engine/advisor/site_rules.py" />
      <source>An air-gapped site, and a fleet that is rented: what stands there is owned, or leased by special contract.</source>
      <translation>實體隔離的場地卻租用機群：該處的設備須為自有，或以特別合約租賃。</translation>
    </message>
    <message>
      <location filename="engine/advisor/training_rules.py" />
      <source>Accelerators wait for data: faster reading or more cores come before more accelerators.</source>
      <translation>加速器在等資料：應先加快讀取或增加核心，再增加加速器。</translation>
    </message>
    <message>
      <location filename="engine/advisor/training_rules.py" />
      <source>Much of the step is communication that nothing hides.</source>
      <translation>單步時間有大半是無法遮蔽的通訊。</translation>
    </message>
    <message>
      <location filename="engine/advisor/training_rules.py" />
      <source>One slow link holds up every exchange of the job.</source>
      <translation>一條慢的連結拖慢整個工作的每次交換。</translation>
    </message>
    <message>
      <location filename="engine/advisor/training_rules.py" />
      <source>The network is thinner at its top than a job needs in which every device talks to every other.</source>
      <translation>網路上層的頻寬不足以應付每個裝置彼此通訊的工作。</translation>
    </message>
    <message>
      <location filename="engine/advisor/training_rules.py" />
      <source>Tensor parallelism reaches beyond the fast domain.</source>
      <translation>張量平行超出高速互連域。</translation>
    </message>
    <message>
      <location filename="engine/advisor/training_rules.py" />
      <source>What the next larger cluster of the same device would save in time and cost in money.</source>
      <translation>同一裝置再大一級的叢集可省下的時間與多花的費用。</translation>
    </message>
    <message>
      <location filename="engine/advisor/training_rules.py" />
      <source>So short a run that starting it takes a good part of its time.</source>
      <translation>訓練極短，啟動即佔去相當比例的時間。</translation>
    </message>
    <message>
      <location filename="engine/advisor/training_rules.py" />
      <source>So little memory is left that fragmentation may end the run.</source>
      <translation>剩餘記憶體過少，碎片化可能使訓練中斷。</translation>
    </message>
    <message>
      <location filename="engine/advisor/training_rules.py" />
      <source>Activations, not state, fill the memory: sequence and micro-batch decide what fits.</source>
      <translation>佔滿記憶體的是活化值而非狀態：序列長度與微批次決定是否放得下。</translation>
    </message>
    <message>
      <location filename="engine/advisor/training_rules.py" />
      <source>Everything is computed twice although memory is free.</source>
      <translation>記憶體尚有空間，卻全部重算兩次。</translation>
    </message>
    <message>
      <location filename="engine/advisor/training_rules.py" />
      <source>The plan pays for the run alone: nothing for retries, validation or experiments.</source>
      <translation>方案只計算訓練本身：未計重試、驗證或實驗。</translation>
    </message>
    <message>
      <location filename="engine/advisor/training_rules.py" />
      <source>The step time rests on a datasheet.</source>
      <translation>單步時間依據規格表。</translation>
    </message>
    <message>
      <location filename="engine/advisor/evidence_rules.py" />
      <source>Own measurements exist, and none of them is of training.</source>
      <translation>已有自己的量測，但沒有任何訓練的量測。</translation>
    </message>
    <message>
      <location filename="engine/advisor/training_rules.py" />
      <source>Nothing meets deadline and budget: the cluster is too small, or the money too short.</source>
      <translation>沒有任何方案同時符合期限與預算：叢集太小，或預算不足。</translation>
    </message>
    <message>
      <location filename="engine/advisor/failure_rules.py" />
      <source>A run that cannot restart from a checkpoint is planned on capacity that may be taken away.</source>
      <translation>無法自檢查點重啟的訓練，規劃在可能被收回的容量上。</translation>
    </message>
    <message>
      <location filename="engine/advisor/failure_rules.py" />
      <source>Checkpoints, failures and restarts take a good part of the run.</source>
      <translation>檢查點、故障與重啟佔去訓練相當比例的時間。</translation>
    </message>
    <message>
      <location filename="engine/advisor/money_rules.py" />
      <source>A run that restarts from checkpoints costs less on spot capacity, interruptions and repeated steps included.</source>
      <translation>可自檢查點重啟的訓練改用 Spot 容量成本較低，已含中斷與重做的步驟。</translation>
    </message>
    <message>
      <location filename="engine/advisor/money_rules.py" />
      <source>Capacity is reserved or bought for years, and the runs fill only a part of that time.</source>
      <translation>容量預留或購買多年，訓練卻只用到其中一部分時間。</translation>
    </message>
    <message>
      <location filename="engine/advisor/both_rules.py" />
      <source>The cheapest device that does both, against the best for each, over a run and a month of service.</source>
      <translation>以一次訓練加一個月服務計，兩者皆可的最便宜裝置，與各自最佳者比較。</translation>
    </message>
    <message>
      <location filename="engine/advisor/both_rules.py" />
      <source>What the service would cost on the devices that are best to train on.</source>
      <translation>在最適合訓練的裝置上提供服務的成本。</translation>
    </message>
    <message>
      <location filename="engine/advisor/both_rules.py" />
      <source>How a run would fare on the devices that are best to serve on: slower, dearer, late, or not at all.</source>
      <translation>在最適合服務的裝置上訓練的結果：較慢、較貴、逾期，或無法執行。</translation>
    </message>
    <message>
      <location filename="engine/advisor/both_rules.py" />
      <source>The hardware choice leaves one device for both workloads.</source>
      <translation>硬體選擇使兩種工作負載只剩同一種裝置。</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Horizon years</source>
      <translation>規劃年數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Training runs per year</source>
      <translation>每年訓練次數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>First run</source>
      <translation>第一次訓練</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Training window</source>
      <translation>訓練時段</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Storage cost per GB month</source>
      <translation>每 GB 每月儲存費</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Support share</source>
      <translation>支援費比例</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Serving egress bytes per month</source>
      <translation>服務每月資料外傳量</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Training egress bytes per run</source>
      <translation>每次訓練資料外傳量</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Egress cost per GB</source>
      <translation>每 GB 資料外傳費</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Residual share</source>
      <translation>殘值比例</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Useful life years</source>
      <translation>使用年限</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Growth per year</source>
      <translation>每年成長</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Capital discount</source>
      <translation>資本折扣</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Network cost per device</source>
      <translation>每裝置網路成本</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Storage cost per device</source>
      <translation>每裝置儲存成本</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Installation share</source>
      <translation>安裝費比例</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Facility cost per kw month</source>
      <translation>每 kW 每月代管費</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Electricity cost per kWh</source>
      <translation>每 kWh 電價</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Support share per year</source>
      <translation>每年支援費比例</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Price trend per year</source>
      <translation>每年價格趨勢</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Grid g CO₂e per kWh</source>
      <translation>電網碳強度（g CO₂e/kWh）</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Water per kWh</source>
      <translation>每 kWh 用水</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>Storage read</source>
      <translation>儲存讀取速率</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Gpuplan</source>
      <translation>Gpuplan</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Encoder</source>
      <translation>編碼器</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Vision transformer</source>
      <translation>視覺 Transformer</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Diffusion</source>
      <translation>擴散</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Layer</source>
      <translation>Layer 正規化</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Layer no bias</source>
      <translation>Layer 正規化（無偏置）</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Per head</source>
      <translation>逐頭</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Full</source>
      <translation>完整</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Lightning</source>
      <translation>Lightning</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>MXFP4</source>
      <translation>MXFP4</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>NVFP4</source>
      <translation>NVFP4</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>Linear</source>
      <translation>線性</translation>
    </message>
    <message>
      <location filename="domain/model.py" />
      <source>All</source>
      <translation>全部</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Pretraining</source>
      <translation>預訓練</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Continued pretraining</source>
      <translation>持續預訓練</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Full fine tune</source>
      <translation>完整微調</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Adafactor</source>
      <translation>Adafactor</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Lion</source>
      <translation>Lion</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Muon</source>
      <translation>Muon</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Megatron</source>
      <translation>Megatron</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Nanotron</source>
      <translation>Nanotron</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Auto</source>
      <translation>自動</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Nvme</source>
      <translation>NVMe</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Selective</source>
      <translation>選擇性</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Interleaved</source>
      <translation>交錯式</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Poisson</source>
      <translation>Poisson</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Gamma</source>
      <translation>Gamma</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Least load</source>
      <translation>最少負載</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Prefix affinity</source>
      <translation>前綴親和</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Round robin</source>
      <translation>輪流</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Random</source>
      <translation>隨機</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Generic</source>
      <translation>一般</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Chunked prefill</source>
      <translation>分塊預填</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Continuous</source>
      <translation>連續</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Dynamic</source>
      <translation>動態</translation>
    </message>
    <message>
      <location filename="domain/workload.py" />
      <source>Static</source>
      <translation>靜態</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Air</source>
      <translation>氣冷</translation>
    </message>
    <message>
      <location filename="domain/scenario.py" />
      <source>Liquid</source>
      <translation>液冷</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>Typical</source>
      <translation>一般</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>USD</source>
      <translation>USD</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>EUR</source>
      <translation>EUR</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>GBP</source>
      <translation>GBP</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>JPY</source>
      <translation>JPY</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>CNY</source>
      <translation>CNY</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>TWD</source>
      <translation>TWD</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>KRW</source>
      <translation>KRW</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>INR</source>
      <translation>INR</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>CHF</source>
      <translation>CHF</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>CAD</source>
      <translation>CAD</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>AUD</source>
      <translation>AUD</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>SEK</source>
      <translation>SEK</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>NOK</source>
      <translation>NOK</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>DKK</source>
      <translation>DKK</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>PLN</source>
      <translation>PLN</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>BRL</source>
      <translation>BRL</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>AED</source>
      <translation>AED</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>SAR</source>
      <translation>SAR</translation>
    </message>
    <message>
      <location filename="domain/economics.py" />
      <source>HKD</source>
      <translation>HKD</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Gaudi</source>
      <translation>Gaudi</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Neuron</source>
      <translation>Neuron</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Metal</source>
      <translation>Metal</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Datasheet</source>
      <translation>規格表</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Secondary</source>
      <translation>次級來源</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Estimate</source>
      <translation>估計</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>User</source>
      <translation>使用者</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Scale up</source>
      <translation>Scale-up</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Scale out</source>
      <translation>Scale-out</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Host link</source>
      <translation>主機連結</translation>
    </message>
    <message>
      <location filename="domain/hardware.py" />
      <source>Cpu link</source>
      <translation>CPU 連結</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Hyperscaler</source>
      <translation>超大規模雲端</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Neocloud</source>
      <translation>新興 GPU 雲</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Marketplace</source>
      <translation>市集</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Day</source>
      <translation>日</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Month</source>
      <translation>月</translation>
    </message>
    <message>
      <location filename="domain/price.py" />
      <source>Estimated</source>
      <translation>估計</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Closed loop</source>
      <translation>閉迴路</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Open loop</source>
      <translation>開迴路</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Offline</source>
      <translation>離線</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Prefill tokens per s</source>
      <translation>預填 token/s</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Decode tokens per s</source>
      <translation>解碼 token/s</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Tokens per s per user</source>
      <translation>每使用者 token/s</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Requests per s</source>
      <translation>請求/s</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Goodput per s</source>
      <translation>有效請求/s</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Samples per s</source>
      <translation>樣本/s</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Input tokens per s</source>
      <translation>輸入 token/s</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Output tokens per s</source>
      <translation>輸出 token/s</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Total tokens per s</source>
      <translation>總 token/s</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Training tokens per s</source>
      <translation>訓練 token/s</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Training samples per s</source>
      <translation>訓練樣本/s</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Model flop per s per device</source>
      <translation>每裝置模型 FLOP/s</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Training flop per s</source>
      <translation>訓練 FLOP/s</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Forward time</source>
      <translation>前向時間</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Backward time</source>
      <translation>反向時間</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Optimizer time</source>
      <translation>最佳化器時間</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Collective time</source>
      <translation>集合通訊時間</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Copy bandwidth</source>
      <translation>複製頻寬</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Kernel share</source>
      <translation>Kernel 佔比</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Flop per s</source>
      <translation>FLOP/s</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Utilisation</source>
      <translation>使用率</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>P01</source>
      <translation>P01</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>P05</source>
      <translation>P05</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>P25</source>
      <translation>P25</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>P75</source>
      <translation>P75</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>P95</source>
      <translation>P95</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>P97</source>
      <translation>P97</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>P999</source>
      <translation>P99.9</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Min</source>
      <translation>最小</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Max</source>
      <translation>最大</translation>
    </message>
    <message>
      <location filename="domain/measurement.py" />
      <source>Kernel</source>
      <translation>Kernel</translation>
    </message>
    <message>
      <location filename="catalogs" />
      <source>Chat</source>
      <translation>聊天</translation>
    </message>
    <message>
      <location filename="catalogs" />
      <source>Retrieval</source>
      <translation>檢索</translation>
    </message>
    <message>
      <location filename="catalogs" />
      <source>Code completion</source>
      <translation>程式碼補全</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Parameters and FLOPs of a model</source>
      <translation>模型的參數與 FLOP</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Parameters are counted matrix by matrix from the model's description: embeddings, token mixers (attention, latent attention, linear attention, state space), feed-forward parts or experts, norms, and the output head. FLOPs of a forward pass are two for each parameter that a token uses, plus the products of attention with the tokens before it.</source>
      <translation>參數依模型描述逐一計算各矩陣：嵌入、token 混合層（注意力、潛在注意力、線性注意力、狀態空間）、前饋或專家、正規化與輸出頭。前向傳遞的 FLOP 為 token 所用每個參數兩次，加上注意力與先前 token 的乘積。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>In a mixture of experts only the experts that a token is sent to count as active; shared experts always count.</source>
      <translation>混合專家模型只有 token 被送往的專家算作活躍；共用專家一律計入。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Each family's counts are checked against published models, block by block.</source>
      <translation>各系列的計數都逐區塊與公開模型核對過。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>What a configuration file does not say is taken from its family's usual values; the model's summary lists every such assumption.</source>
      <translation>設定檔未說明者採用該系列的一般值；模型摘要會列出每一項這類假設。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Models that are not made of token layers, such as diffusion models and convolutional networks, carry FLOPs per sample as a figure of their own.</source>
      <translation>非 token 層構成的模型（如擴散模型與卷積網路）以每樣本 FLOP 作為自有數字。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Weights and KV cache</source>
      <translation>權重與 KV 快取</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The bytes of the weights follow from the format of each part: quantised matrices carry their scales and zero points, and what is not quantised stays in the checkpoint's own format.</source>
      <translation>權重的位元組數取決於各部分的格式：量化矩陣含其縮放係數與零點，未量化的部分維持檢查點本身的格式。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The cache of a sequence grows with its tokens: keys and values of each layer that keeps them, up to the window of layers that look back only so far, one compressed vector for latent attention, and a state of fixed size for recurrent layers.</source>
      <translation>序列的快取隨 token 增加：各保留層的鍵與值、僅回看有限範圍之層至多到其視窗、潛在注意力的一個壓縮向量，以及遞迴層固定大小的狀態。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Bytes per token and per parameter of each family are checked against exact counts of published models.</source>
      <translation>各系列每 token 與每參數的位元組數都與公開模型的精確計數核對過。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>KV heads are copied, not cut, once tensor parallelism exceeds their number: the cache per device then stops shrinking.</source>
      <translation>張量平行數超過 KV 頭數後，KV 頭會被複製而非切分：每個裝置的快取不再縮小。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Blocks that an engine leaves partly filled are counted in the memory of a replica, not here.</source>
      <translation>引擎未填滿的區塊計入副本的記憶體，不計在此。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Memory of a serving replica</source>
      <translation>推論服務副本的記憶體</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>A replica fits if its weights, the activations of one full step and the runtime leave room for the cache. The engine may take a stated fraction of each device's memory; what remains is the KV pool, and it decides how many sequences can run together.</source>
      <translation>權重、一個完整步驟的活化值與執行環境之後仍有空間放快取，副本才放得下。引擎可佔用各裝置記憶體的指定比例；其餘為 KV 池，決定可同時執行多少序列。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The largest concurrency, context and model are the same sums solved for another unknown.</source>
      <translation>最大並行數、上下文與模型是同一組算式改求另一個未知數。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Activations and runtime are parameters of each engine in the catalogue; peak memory is judged on published peaks.</source>
      <translation>活化值與執行環境是型錄中各引擎的參數；記憶體峰值以公開峰值評判。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The most loaded device decides: the first or last pipeline stage, which holds the embedding or the output head.</source>
      <translation>由負載最重的裝置決定：持有嵌入或輸出頭的第一個或最後一個管線階段。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Fragmentation beyond an engine's usual reserve is not modelled.</source>
      <translation>超出引擎一般預留量的記憶體碎片不在模型內。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The roofline is the fastest that a device can be by its datasheet: no operation takes less time than its FLOPs at the peak rate, nor than its bytes at the memory bandwidth. The ridge point is the intensity at which both are equal.</source>
      <translation>Roofline 是裝置依規格表所能達到的最快值：任何運算所需時間都不會少於其 FLOP 除以峰值速率，也不會少於其位元組除以記憶體頻寬。脊點是兩者相等時的運算強度。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Plans do not assume that the roof is reached: times come from measured kernels, and the page Roofline shows how far below the roof each operation stays.</source>
      <translation>方案不假設能達到上限：時間來自實測 kernel，「Roofline」頁會顯示每個運算離上限多遠。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Peaks and bandwidths come from datasheets, each with its source and date in the catalogue; a figure quoted with structured sparsity is not taken for a dense one.</source>
      <translation>峰值與頻寬來自規格表，型錄中各有來源與日期；以結構化稀疏標示的數字不會當成稠密值。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>A measured ceiling is drawn where matrix products of the device or of a near relative were timed.</source>
      <translation>裝置或其近親的矩陣乘積有計時資料時，會畫出實測上限。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Time of a kernel</source>
      <translation>Kernel 的時間</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The time of a kernel is a floor (launch and latency) plus the smooth maximum of its time for computing and its time for memory traffic. Both are divided by an efficiency that is at most 1, and the work is that of a slightly larger problem, because tiles and waves are filled only in part.</source>
      <translation>Kernel 的時間是底限（啟動與延遲）加上運算時間與記憶體流量時間的平滑最大值。兩者各除以不大於 1 的效率，而工作量以略大的問題計，因為 tile 與 wave 只會部分填滿。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>By construction more work never takes less time, and more bandwidth or a higher peak is never slower. Everything is relative to the device's own peak, bandwidth and number of compute units, so that parameters carry over to a relative of the measured device.</source>
      <translation>依其構造，工作較多絕不會較快，頻寬或峰值較高絕不會較慢。一切都相對於裝置本身的峰值、頻寬與運算單元數，因此參數可沿用到實測裝置的近親。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Parameters are fitted to published timings of ten accelerators and three serving engines; each set carries its error out of sample and its number of timings.</source>
      <translation>參數依十款加速器與三種推論引擎的公開計時擬合；每組都附樣本外誤差與計時筆數。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>A device that nobody timed takes the parameters of its nearest relative by architecture, memory and year, with a wider band that grows with the distance.</source>
      <translation>沒有計時資料的裝置採用架構、記憶體與年份最相近裝置的參數，區間隨距離加寬。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The size of the last-level cache is not modelled; what it changes is part of the model's error.</source>
      <translation>末級快取的大小不在模型內；其影響屬於模型誤差的一部分。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Clocks are taken as sustained; a device that throttles is slower than said.</source>
      <translation>時脈視為可持續；會降頻的裝置比所述更慢。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>A collective takes a latency that grows with the ranks, a ramp at middle message sizes, where protocols and algorithms switch, and the time on the wire at the link's rate and a measured efficiency. The bytes on the wire are those of the usual algorithms for each kind.</source>
      <translation>集合通訊包含隨 rank 數增加的延遲、中等訊息大小時的過渡段（協定與演算法在此切換），以及依連結速率與實測效率的線上時間。線上位元組數依各種類的常用演算法計算。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Beyond a scale-up domain the exchange is composed of levels: within the domain over the fast links, between domains over the network.</source>
      <translation>超出 Scale-up 網域時，交換由兩層構成：網域內走高速連結，網域間走網路。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Latency, ramp and efficiency are fitted to measured collectives; a fabric that nobody measured takes its relative's, or its link's datasheet.</source>
      <translation>延遲、過渡段與效率依實測的集合通訊擬合；沒有實測的網路採用近親的值，或其連結的規格表。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Other traffic on the network is not known to the model; the slowest link and the oversubscription are inputs of the hardware choice.</source>
      <translation>模型不知道網路上的其他流量；最慢的連結與超額訂閱是硬體選擇的輸入。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Prefill and decode steps</source>
      <translation>預填與解碼步驟</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>One pass of a replica is the sum of its operations, each at its kernel's time, plus the collectives of tensor, expert and pipeline parallelism and the engine's host time. Decoding reads all weights once per step, whatever the batch, and the cache of every sequence; prefill computes on many tokens at once and is therefore usually bound by compute.</source>
      <translation>副本的一次傳遞是各運算依其 kernel 時間之和，加上張量、專家與管線平行的集合通訊，以及引擎的主機時間。解碼時不論批次大小，每步都讀一次全部權重，以及每個序列的快取；預填一次計算許多 token，因此通常受運算限制。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Which part of a step counts as compute, bandwidth, interconnect or host is kept, so that a result can say what limits it.</source>
      <translation>步驟中屬於運算、頻寬、互連或主機的各部分都會保留，因此結果能說明瓶頸所在。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Step times are judged against published TPOT and TTFT of closed-loop benchmarks, with whole groups of architecture and accelerator left out of the fit.</source>
      <translation>單步時間以閉迴路基準測試的公開 TPOT 與 TTFT 評判，擬合時整組排除架構與加速器的組合。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Experts are taken as chosen evenly at random; a skewed router loads some devices more.</source>
      <translation>專家視為均勻隨機選取；偏斜的路由器會使部分裝置負載更重。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The figures of an engine are those of its releases in the catalogue; newer ones may be faster.</source>
      <translation>引擎的數字依型錄中的發行版本；較新的版本可能更快。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Latency under load, closed form</source>
      <translation>負載下的延遲（封閉解）</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The closed form finds the balance of continuous batching: the rate of requests decides how many sequences run together, their number decides how long a step takes, and that in turn how many run together. TTFT is the prefill of the prompt, the wait behind other prompts and the rest of the running step; TPOT is the mean step. Prompts that fit into one step are read together: a step takes up what came during the last one, and prompts queue for the tokens that steps leave them.</source>
      <translation>封閉解求連續批次處理的平衡：請求速率決定同時執行多少序列，序列數決定單步時間，而單步時間又決定同時執行的數量。TTFT 為提示的預填、排在其他提示之後的等待，以及進行中步驟的剩餘時間；TPOT 為平均單步時間。能放入同一步的提示會一起讀取：每一步處理上一步期間到達的提示，提示等待的是各步留給它們的 token 數。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>With speculative decoding a step drafts tokens for every sequence, passes them through the model beside the last one and keeps those up to the first that the model would not have chosen: an answer takes fewer steps, each step works on more tokens, and TPOT is the step over the tokens that it yields. What drafts takes its share of each pass and of memory: a head of one layer that of a layer, a draft model that of its size, n-grams nothing. Acceptance is the scenario's. ITL is the gap between what a client gets and gets next, as vLLM's benchmark counts it: the tokens of one step come at once, so that ITL is longer than TPOT; clients that divide a gap by its tokens, as SGLang's does, report about the TPOT.</source>
      <translation>使用推測解碼時，每一步為每個序列草擬數個 token，連同最後一個 token 一起通過模型，並保留到第一個模型不會選擇的 token 之前：回答需要的步數較少，每步處理的 token 較多，TPOT 為單步時間除以其產出的 token 數。草稿部分按比例占用每次前向傳遞與記憶體：一層的預測頭占一層，草稿模型按其大小，n-gram 不占。接受率取自情境。ITL 為用戶端前後兩次收到內容的間隔，與 vLLM 基準測試的計法相同：同一步的 token 同時到達，因此 ITL 長於 TPOT；將間隔除以 token 數的用戶端（如 SGLang）回報的約為 TPOT。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>It takes microseconds for each candidate, so it ranks all of them; the chosen one is then simulated.</source>
      <translation>每個候選方案只需數微秒，因此用來為全部排名；選定者再進行模擬。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>It is compared with the simulation at every rate that is simulated, and the page Load says where they differ by more than the band.</source>
      <translation>它會在每個模擬速率與模擬結果比較，「負載」頁會說明何處差異超出區間。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Arrivals are random; for bursts the wait is scaled by a factor, which is a lower bound for strong bursts.</source>
      <translation>到達視為隨機；突發時以係數放大等待，對強烈突發而言是下限。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Drafts are chains, each kept with the same chance if the one before was; trees of drafts, and acceptance that changes with the text or the load, are not modelled.</source>
      <translation>草稿為鏈狀，前一個被保留時，每個被保留的機率相同；未納入樹狀草稿，以及隨文字或負載變化的接受率。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Near saturation averages say little: rates above the planned utilisation belong to the simulation.</source>
      <translation>接近飽和時平均值意義不大：高於規劃使用率的速率應以模擬為準。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Long and short prompts in one service: the mean TTFT of all comes out some 10 % low, its p95 some 20 to 30 %.</source>
      <translation>同一服務中混有長短提示時：所有請求的平均 TTFT 約低 10 %，其 p95 約低 20 至 30 %。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Queues for a number of slots</source>
      <translation>固定空位數的佇列</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Where requests need one of a fixed number of slots, Erlang's formula says how many of them have to wait. It stands on the page Readiness beside the simulated tests.</source>
      <translation>請求需要固定數量空位之一時，Erlang 公式可求出其中有多少必須等候。結果列在「就緒度」頁的模擬測試旁。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The results are checked against worked cases and published values of square-root staffing.</source>
      <translation>結果與算例及平方根配置的公開值核對過。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>They hold for random arrivals and for service times that spread as widely as an exponential distribution.</source>
      <translation>適用於隨機到達，且服務時間的離散程度與指數分布相同的情況。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Load simulation</source>
      <translation>負載模擬</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The simulation runs a replica, or several behind a router, request by request: arrivals from a random process or from a recorded trace, a queue, admission while sequences and KV cache allow, steps that mix chunks of prompts with decoding as the engine does, preemption when the cache is full, and answers token by token. Runs of steps in which nothing changes are summed in one event, with the same result.</source>
      <translation>模擬會逐一執行請求，對象是單一副本或路由器後的多個副本：到達來自隨機過程或流量紀錄、佇列、在序列數與 KV 快取容許時接納、依引擎的方式把提示片段與解碼混在同一步、快取已滿時搶占，以及逐 token 回答。沒有變化的連續步驟合併為一個事件，結果相同。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Percentiles are taken over all requests after a warm-up. The curve is coarse at once and is refined while one looks at it; the knee is the rate from which on latency grows faster than throughput, in relative terms: where throughput over latency is largest. Stress tests repeat the run with bursts, lost or reloaded replicas, a cold prefix cache and longer prompts.</source>
      <translation>百分位數取自暖機後的所有請求。曲線先以粗略呈現，檢視時再逐步細化；轉折點是相對而言延遲成長開始持續快於吞吐量的速率，即吞吐量除以延遲最大之處。壓力測試以突發、失去或重新載入的副本、未命中的前綴快取與較長的提示重複執行。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The step times are those of the page on prefill and decode steps; latency percentiles are judged against published runs at a request rate.</source>
      <translation>單步時間同「預填與解碼步驟」頁；延遲百分位數以公開的固定速率測試評判。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The same seed gives the same result; all candidates meet the same arrivals.</source>
      <translation>相同種子得到相同結果；所有候選方案遇到相同的到達。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>A run has a limited number of requests: a p99 of a short run is uncertain by several per cent.</source>
      <translation>一次執行的請求數有限：短執行的 p99 有數個百分點的不確定性。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Network, load balancer and clients outside the engine are not simulated.</source>
      <translation>引擎以外的網路、負載平衡器與用戶端不在模擬內。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Replicas, availability and start</source>
      <translation>副本、可用性與啟動</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The peak rate over what one replica carries within the targets, with headroom, gives the replicas; zones that may fail and spare replicas come on top. Availability follows from the mean time between failures and the repair time of one replica.</source>
      <translation>尖峰速率除以單一副本在目標內可承載的量並加上餘裕，得出副本數；再加上可容許失效的區域與備援副本。可用性取決於單一副本的平均故障間隔與修復時間。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The start of a replica is the sum of its serial phases; replicas that start together share the store that holds the weights. Autoscaling needs as much headroom as load can grow while a replica starts.</source>
      <translation>副本的啟動是各串列階段之和；同時啟動的副本共用存放權重的儲存。自動擴縮所需的餘裕，等於副本啟動期間負載可能成長的量。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Failure rates and start phases are defaults with their sources; put in your own.</source>
      <translation>故障率與啟動階段是附來源的預設值；請填入您自己的數字。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Failures of replicas are independent except for the share with a common cause.</source>
      <translation>副本故障彼此獨立，除了共同原因的比例。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Daily and weekly shapes are the planner's; no forecast is made of them.</source>
      <translation>每日與每週的形狀由規劃者提供；不對其預測。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Published serving results</source>
      <translation>公開的推論服務結果</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>To be judged by published benchmarks the model must say what their clients report. A client that keeps a number of requests running starts them all at once, so that the first prompts queue for each other's prefill; means over a run mix that burst with what comes later. A full engine, a single stream and passes over samples have closed forms of their own.</source>
      <translation>要以公開基準測試評判模型，就必須算出其用戶端所回報的值。維持固定數量請求的用戶端會同時啟動全部請求，因此最初的提示互等對方的預填；整次執行的平均混合了這段突發與之後的情形。滿載引擎、單一串流與樣本傳遞各有自己的封閉解。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The parameters of a stack (software on a family of devices) are fitted to published results and shrink towards the usual where a stack has few.</source>
      <translation>堆疊（某系列裝置上的軟體）的參數依公開結果擬合，資料少的堆疊會收斂到一般值。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The README states the error of every group, each left out of the fit; the bands come from errors of cases whose group the fit had not seen.</source>
      <translation>README 列出每組的誤差，各組均在擬合時排除；區間來自擬合未見過之組的案例誤差。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Sources often leave scheduler settings, drafts and releases unsaid; such rows have wide bands.</source>
      <translation>來源常未註明排程器設定、草稿與版本；這類資料列的區間較寬。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Separate pools for prefill and decode, and latency at a request rate, are known less well.</source>
      <translation>預填與解碼分離的資源池，以及固定速率下的延遲，掌握得較少。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Memory of a training step</source>
      <translation>訓練步驟的記憶體</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>A device holds its share of weights, gradients, master weights and moments, as ZeRO, tensor, pipeline and expert parallelism divide them; the activations of the micro-batches in flight, less what is recomputed; the logits; and the runtime with its buffers. The fullest stage decides whether a layout fits.</source>
      <translation>裝置持有其分得的權重、梯度、主權重與動量（由 ZeRO、張量、管線與專家平行分割）、進行中微批次的活化值（扣除重新計算者）、logits，以及執行環境與其緩衝區。配置是否放得下由最滿的階段決定。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>What an activation keeps depends on the framework: fused kernels keep less than eager code.</source>
      <translation>活化值保留多少取決於框架：融合 kernel 保留得比 eager 程式碼少。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Peaks are judged against published peaks that the fit had not seen; the band on the page Memory is theirs.</source>
      <translation>峰值以擬合未見過的公開峰值評判；「記憶體」頁的區間即由此而來。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Fragmentation is a factor on what comes and goes within a step; an unlucky allocator may need more.</source>
      <translation>記憶體碎片以步驟中來去部分的係數計；配置器運氣不佳時可能需要更多。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Optimizers and recipes other than those listed take the nearest one's bytes per parameter.</source>
      <translation>清單以外的最佳化器與配方採用最接近者的每參數位元組數。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Time of a training step</source>
      <translation>訓練步驟的時間</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>A step is the sum of its parts on the slowest stage: computing and memory traffic of all micro-batches at the pace of measured kernels, exchanges of tensor, data, pipeline, expert and context parallelism as far as nothing hides them, the pipeline's bubble, host time, and waiting for data.</source>
      <translation>單步是最慢階段各部分之和：所有微批次依實測 kernel 速度的運算與記憶體流量，張量、資料、管線、專家與上下文平行中未被隱藏的交換，管線氣泡、主機時間，以及等待資料。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Each framework has its habits, as measured: how much it overlaps, what it keeps, how long its host takes. The layout search computes every legal layout and ranks them by time, cost or devices for a deadline.</source>
      <translation>各框架有其實測習性：重疊多少、保留什麼、主機花多久。配置搜尋會計算每個合法配置，依時間、成本或達成期限所需裝置排名。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Step times and tokens per second are judged against published runs, with whole groups of architecture and accelerator left out.</source>
      <translation>單步時間與每秒 token 數以公開訓練評判，整組排除架構與加速器的組合。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Stages are taken as evenly loaded, apart from the embedding and the output head.</source>
      <translation>除嵌入與輸出頭外，各階段視為負載均勻。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Stragglers and shared networks are not in a step; the slowest link and the thermal derating are inputs.</source>
      <translation>拖慢者與共用網路不在單步之內；最慢的連結與散熱降頻是輸入。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>A training run</source>
      <translation>整次訓練</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Steps follow from the tokens and the global batch. Failures, checkpoints and virtual machines stretch the time of the steps; start-up is paid once; retries, validation and experiments come on top of the device-hours that are paid.</source>
      <translation>步數取決於 token 數與全域批次。故障、檢查點與虛擬機會拉長步驟的時間；啟動只計一次；重試、驗證與實驗另加在付費的裝置小時上。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>MFU counts the FLOPs of the model alone, with causal attention as the half that is computed; HFU counts recomputation as work.</source>
      <translation>MFU 只計模型的 FLOP，因果注意力以實際計算的一半計；HFU 將重新計算也算作工作。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Shares of headroom are defaults with their sources; put in your own.</source>
      <translation>餘裕比例是附來源的預設值；請填入您自己的數字。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The run is one job at one layout; changes of batch or context length on the way are not modelled.</source>
      <translation>訓練視為同一配置的單一工作；途中改變批次或上下文長度不在模型內。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Scaling with devices</source>
      <translation>隨裝置數擴展</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>For each number of devices the fastest layout is searched; the efficiency is the throughput per device over the best of any count. The cost of a day saved tells up to which count more devices are worth their money.</source>
      <translation>對每個裝置數搜尋最快的配置；效率為每裝置吞吐量與各數量中最佳者之比。每節省一天的成本說明裝置增加到多少仍然值得。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>It rests on the same step times as the plan, with fabrics as the catalogue states them.</source>
      <translation>依據與方案相同的單步時間，網路依型錄所述。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The curve holds at one global batch (strong scaling); larger jobs usually raise the batch as well.</source>
      <translation>曲線適用於固定的全域批次（強擴展）；較大的工作通常也會加大批次。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>At tens of thousands of devices failures and stragglers weigh more than the model's step.</source>
      <translation>裝置數達數萬時，故障與拖慢者的影響大於模型的單步。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Failures, checkpoints and goodput</source>
      <translation>故障、檢查點與有效產出率</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>A job fails as often as its nodes together. After a failure it loses what was done since the last checkpoint and the time to recover; checkpoints cost time themselves. The interval that loses least is Daly's; goodput is the share of time that makes progress.</source>
      <translation>工作的故障率是其所有節點之和。故障後會失去上次檢查點以來的進度與恢復時間；檢查點本身也要時間。損失最少的間隔為 Daly 間隔；有效產出率是有進展的時間比例。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Failure rates are published ones of large fleets; the formulas reproduce the intervals and efficiencies that were published with them.</source>
      <translation>故障率採大型機群的公開值；公式可重現原論文所載的間隔與效率。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Failures are independent and come at a constant rate; a new fleet fails more often at first.</source>
      <translation>故障彼此獨立且速率固定；新機群初期故障較多。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Silent errors that spoil a run without stopping it are not modelled.</source>
      <translation>未停下訓練卻使其失效的無聲錯誤不在模型內。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Input data and checkpoint storage</source>
      <translation>輸入資料與檢查點儲存</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The input pipeline is as fast as its slower stage: reading from storage, or preprocessing on the host's cores. A step that asks for more waits. A checkpoint is written at the rate of the storage; one written in the background stops the run only while the state is copied to the host.</source>
      <translation>輸入管線的速度取決於較慢的階段：從儲存讀取，或主機核心上的前處理。要求更多的步驟就得等待。檢查點以儲存的速率寫入；在背景寫入時，訓練只在狀態複製到主機期間停頓。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Sizes of checkpoints follow the storage benchmark of MLPerf.</source>
      <translation>檢查點大小依循 MLPerf 的儲存基準測試。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Stages prefetch well enough to overlap; jitter between them is not modelled.</source>
      <translation>各階段的預取足以重疊；彼此間的抖動不在模型內。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Cost of serving</source>
      <translation>推論服務的成本</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The whole fleet is paid for, spares and idle hours included, and its cost is spread over the requests of the mean load. Cost per million output tokens is the cost of a request over its answer, prompt included; cost of input and output apart divides by device time in prefill and decode.</source>
      <translation>整個機群都要付費，含備援與閒置時數，成本分攤到平均負載的請求上。每百萬輸出 token 成本是一個請求的成本除以其回答，提示包含在內；輸入與輸出分開計算時，依預填與解碼的裝置時間分攤。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Prices are catalogue offers with their dates, quoted prices, or the cost of owning.</source>
      <translation>價格為附日期的型錄報價、自訂報價，或自有成本。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>At a low mean load the same fleet costs more per token: compare at equal load, not at equal peak.</source>
      <translation>平均負載低時，同一機群每 token 成本較高：請以相同負載而非相同尖峰比較。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Cost of owning</source>
      <translation>自有成本</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Capital is devices and servers after discount, network, storage and installation. It is paid back with interest over the useful life, less the residual value today (capital recovery). Power, colocation, support, software, staff, insurance and tax are added by the year; an hour's cost spreads the year over all its hours, an hour of work over those in which the device is up and in use.</source>
      <translation>資本包括折扣後的裝置與伺服器、網路、儲存與安裝。在使用年限內連同利息攤還，扣除折為現值的殘值（資本回收）。電費、代管、支援、軟體、人力、保險與稅按年加計；每小時成本將一年分攤到全部小時，每工作小時則只分攤到裝置可用且使用中的時數。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Owning is worth its money above the break-even use: the owned price of an hour over the rent. Net present value, return and payback compare buying with renting the same hours.</source>
      <translation>使用率高於損益兩平點時自有划算：即自有的每小時成本除以租金。淨現值、報酬率與回收期將購買與租用相同時數相比。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Presets of terms for owners and sites come from published breakdowns, each figure with its source.</source>
      <translation>擁有者與場地的條件預設組來自公開拆解，每個數字都附來源。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Prices of accelerators fall while one owns them; the residual value is the figure to vary.</source>
      <translation>自有期間加速器價格會下跌；應調整的數字是殘值。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Taxes on profit and subsidies are left to the cost of capital.</source>
      <translation>所得稅與補助反映在資金成本中。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Cost of renting</source>
      <translation>租用成本</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Offers are compared per device at equal work: terms paid in advance carry interest, and virtual machines carry the work that they lose. Spot capacity is priced per useful hour: interruptions cost the work since the last checkpoint and the recovery.</source>
      <translation>報價以相同工作下的每裝置價格比較：預付的租期加計利息，虛擬機加計其損失的工作。Spot 容量以每有效小時計價：中斷會損失上次檢查點以來的工作與恢復時間。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Beside the devices a provider bills data held, data moved out, and support. Prices by the hour follow their trend over the horizon; a term keeps the price of its first day.</source>
      <translation>供應商除裝置外還收取資料儲存、資料外傳與支援的費用。按時價格在規劃期間依其趨勢變動；租期則維持第一天的價格。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>A base is worth reserving up to the unit that is needed for a larger share of the hours than reserved over on-demand price.</source>
      <translation>基本量值得預留到這樣的一個單位為止：需要它的時數比例大於預留價與隨需價之比。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>All ways to pay carry the same load. What is held is sized for the highest load of each year, what follows the load hour by hour, both with zones and spares; what is added later takes the longest term that still ends within the plan. Sums are worth today: payments from the middle of their year, an owner's capital as its annuity.</source>
      <translation>所有付款方式承擔相同的負載。持有的機群依每年的最高負載配置，隨負載調整者逐小時配置，兩者皆含區域與備援；後來增加的部分採用仍在規劃期間內結束的最長租期。總額為現值：付款以其年度的中間計算，自有者的資本以其年金計算。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Offers carry provider, date and source in the catalogue; the advisor warns when a price is old.</source>
      <translation>型錄中的報價附供應商、日期與來源；價格過舊時評析會提醒。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Offers need not be available in the quantity that is planned.</source>
      <translation>規劃的數量未必買得到這些報價。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Interruptions of spot capacity come at a constant rate of the planner's.</source>
      <translation>Spot 容量的中斷以規劃者給定的固定速率計。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Training and serving can share one fleet, use its idle hours in turn, have fleets of their own, or rent for the runs alone. Each way is computed over the horizon with the devices that do each workload best, and what a fleet pays for by resource is set against what each workload uses of it.</source>
      <translation>訓練與推論服務可以共用一個機群、輪流使用其閒置時數、各有機群，或只在訓練時租用。每種方式都以最適合各工作負載的裝置計算整個規劃期間，並將機群在各資源上的花費與各工作負載實際使用的部分對照。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Shares of a node's price by resource come from published breakdowns; memory beyond the price of ordinary memory counts as bandwidth.</source>
      <translation>節點價格依資源的比例來自公開拆解；超出一般記憶體價格的部分算作頻寬。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Prices by resource are a model of value, not invoices.</source>
      <translation>依資源的價格是價值模型，而非發票。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Moving data and people between fleets costs what the planner enters as changing over.</source>
      <translation>在機群間搬移資料與人力的成本，即規劃者輸入的切換。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Energy, carbon and water</source>
      <translation>能源、碳排放與用水</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Machines draw a share of their rated power under load; PUE adds cooling and losses. Carbon is that of electricity at the grid's intensity and the device's own manufacture, spread over its life; water is what cooling evaporates.</source>
      <translation>機器在負載下耗用額定功率的一部分；PUE 加上冷卻與損失。碳排放包含依電網強度計的用電與裝置製造（分攤至使用年限）；用水為冷卻蒸發的量。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Grid intensities are published figures by region, with source and year.</source>
      <translation>電網碳強度為各地區的公開數字，附來源與年份。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Idle power is in the mean only as far as the share of rated power says.</source>
      <translation>閒置功率只透過額定功率比例反映在平均值中。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Where neither a device nor its node states what it draws, the geometric mean of its three nearest relatives in bandwidth, rate and year stands in, with the spread by which such guesses miss devices of known power.</source>
      <translation>裝置與其節點都未公布功率時，以頻寬、速率與年份最相近的三個裝置的幾何平均代替，其離散程度為這類估計在已知功率的裝置上的誤差。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Inputs that the planner enters as a range, or that are usually uncertain, are drawn together in Latin hypercube samples with their correlations; the error of the models themselves is drawn from residuals of the calibration, mostly shared between similar candidates, so that a comparison is not drowned in error that both have. Every sample is a plan: cost, latency, time and the choice of the cheapest that will do.</source>
      <translation>規劃者輸入為範圍或通常不確定的輸入，會以拉丁超立方抽樣連同其相關性一起抽出；模型本身的誤差取自校準殘差，相似的候選方案大多共用，因此比較不會被共同誤差淹沒。每個樣本都是一個方案：成本、延遲、時間，以及符合需求中最便宜者的選擇。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Bands are P10 to P90. The tornado moves one input from its P10 to its P90 while the others stay at their medians; the worth of knowing an input is what a better choice would save on average.</source>
      <translation>區間為 P10 至 P90。龍捲風圖將單一輸入由 P10 移到 P90，其餘保持中位數；查明某項輸入的價值，是更好的選擇平均可節省的金額。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Bands of the models hold the share of published rows that the README states.</source>
      <translation>模型區間涵蓋的公開資料列比例列於 README。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The same seed gives the same samples.</source>
      <translation>相同種子得到相同樣本。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Responses to an input are the engine's own results at a few values and a line between them.</source>
      <translation>對輸入的反應是引擎在少數數值上的結果，其間以線段連接。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>What nobody thought of has no distribution.</source>
      <translation>沒有人想到的因素就沒有分布。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Imported measurements become factors on predicted times: a Gaussian process over what cases have in common (model, accelerator, engine, precision) and how near they are in load, shrunk towards the shipped calibration. A few points help where they apply and nowhere else, and one outlier does not hurt.</source>
      <translation>匯入的量測會成為預測時間的係數：以案例的共同點（模型、加速器、引擎、精度）與負載的接近程度建立高斯過程，並收斂至隨附校準。少數幾點只在適用之處有幫助，單一離群值也不會造成傷害。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Measurements of training are never used for serving, nor the other way round. Drift compares new measurements with the band; what to measure next are the runs that would narrow the decision most.</source>
      <translation>訓練的量測絕不用於推論服務，反之亦然。漂移比較新量測與區間；接下來該量測的，是最能縮小決策不確定性的執行。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>How much a few measurements help is measured on groups that the fit has not seen; the README has the figures.</source>
      <translation>少數量測能有多少幫助，是以擬合未見過的組衡量；數字列於 README。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>A measurement without its context (model, device, engine, precision, lengths) is kept, but used for nothing.</source>
      <translation>缺少脈絡（模型、裝置、引擎、精度、長度）的量測會保留，但不採用。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Far from all measurements the shipped prediction and its band stay.</source>
      <translation>遠離所有量測之處，仍採用隨附預測及其區間。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Gain of one accelerator over another</source>
      <translation>加速器之間的增益</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The gain in a phase is the quotient of the two predicted times: a training step, prefill of a prompt, decoding at a batch, each with BF16 alone and with FP8 allowed. Each accelerator uses as few devices as hold the work.</source>
      <translation>某階段的增益是兩個預測時間之商：訓練步驟、提示的預填、某批次的解碼，各有僅用 BF16 與允許 FP8 兩種。每款加速器採用放得下工作的最少裝置。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>Published pairs of results on both accelerators stand beside the prediction where there are any.</source>
      <translation>兩款加速器若有公開的成對結果，會列在預測旁。</translation>
    </message>
    <message>
      <location filename="resources/methods.json" />
      <source>The band of a quotient is narrower than that of a time, because model, engine and workload are the same; how much was measured on published pairs.</source>
      <translation>商的區間比時間的區間窄，因為模型、引擎與工作負載相同；窄多少由公開的成對結果量得。</translation>
    </message>
    <message>
      <location filename="engine/serving/memory.py" />
      <source>Cache of one sequence on a device</source>
      <translation>一個序列在單一裝置上的快取</translation>
    </message>
    <message>
      <location filename="engine/model/cache_sizes.py" />
      <source>KV cache per token</source>
      <translation>每個 token 的 KV 快取</translation>
    </message>
    <message>
      <location filename="engine/model/cache_sizes.py" />
      <source>KV cache per token beyond the windows</source>
      <translation>超出視窗後每個 token 的 KV 快取</translation>
    </message>
    <message>
      <location filename="engine/model/cache_sizes.py" />
      <source>as KV cache per token</source>
      <translation>同每 token 的 KV 快取</translation>
    </message>
    <message>
      <location filename="engine/cost/energy.py" />
      <source>sum of the parts</source>
      <translation>各部分之和</translation>
    </message>
    <message>
      <location filename="engine/cost/commitment.py" />
      <source>Cost of a base and the rest on demand</source>
      <translation>基載加其餘隨需的成本</translation>
    </message>
    <message>
      <location filename="engine/cost/commitment.py" />
      <source>billing by the hour above the reserved base</source>
      <translation>預留基底以上按小時計費</translation>
    </message>
    <message>
      <location filename="engine/cost/commitment.py" />
      <source>Capacity to reserve</source>
      <translation>應預留的容量</translation>
    </message>
    <message>
      <location filename="engine/cost/commitment.py" />
      <source>marginal unit: reserved it costs every hour, on demand only the hours with need</source>
      <translation>邊際單位：預留則每小時計費，隨需則僅需要的時數計費</translation>
    </message>
    <message>
      <location filename="engine/cost/bill.py" />
      <source>Egress of a rented fleet</source>
      <translation>租用機群的資料外傳</translation>
    </message>
    <message>
      <location filename="engine/cost/bill.py" />
      <source>Share of a fleet that is rented</source>
      <translation>機群中租用的比例</translation>
    </message>
    <message>
      <location filename="engine/cost/bill.py" />
      <source>an owner is billed for no data; of a fleet that is partly rented, that part carries its share of them</source>
      <translation>自有者無資料費用；部分租用的機群由租用部分按比例負擔</translation>
    </message>
    <message>
      <location filename="engine/cost/bill.py" />
      <source>Storage of a rented fleet</source>
      <translation>租用機群的儲存</translation>
    </message>
    <message>
      <location filename="engine/cost/energy.py" />
      <source>Device power</source>
      <translation>裝置功率</translation>
    </message>
    <message>
      <location filename="engine/cost/energy.py" />
      <source>Electricity cost</source>
      <translation>電費</translation>
    </message>
    <message>
      <location filename="engine/cost/energy.py" />
      <source>metered energy</source>
      <translation>電表能耗</translation>
    </message>
    <message>
      <location filename="engine/cost/energy.py" />
      <source>power over time</source>
      <translation>功率乘以時間</translation>
    </message>
    <message>
      <location filename="engine/cost/energy.py" />
      <source>Facility power</source>
      <translation>場地功率</translation>
    </message>
    <message>
      <location filename="engine/cost/energy.py" />
      <source>Energy per token</source>
      <translation>每個 token 的能耗</translation>
    </message>
    <message>
      <location filename="engine/cost/energy.py" />
      <source>facility power over the rate of tokens</source>
      <translation>場地功率除以 token 速率</translation>
    </message>
    <message>
      <location filename="engine/cost/energy.py" />
      <source>Energy per million tokens</source>
      <translation>每百萬 token 的能耗</translation>
    </message>
    <message>
      <location filename="engine/cost/energy.py" />
      <source>unit conversion</source>
      <translation>單位換算</translation>
    </message>
    <message>
      <location filename="engine/cost/energy.py" />
      <source>Node power</source>
      <translation>節點功率</translation>
    </message>
    <message>
      <location filename="engine/cost/energy.py" />
      <source>Energy over a load profile</source>
      <translation>負載曲線下的能耗</translation>
    </message>
    <message>
      <location filename="engine/cost/energy.py" />
      <source>power over time, idle hours included</source>
      <translation>功率乘以時間，含閒置時數</translation>
    </message>
    <message>
      <location filename="engine/cost/units.py" />
      <source>Cost of the network</source>
      <translation>網路成本</translation>
    </message>
    <message>
      <location filename="engine/cost/units.py" />
      <source>sum of the parts; an optical link has a module at each end</source>
      <translation>各部分之和；光纖連結兩端各有一個模組</translation>
    </message>
    <message>
      <location filename="engine/cost/units.py" />
      <source>Fat tree</source>
      <translation>胖樹</translation>
    </message>
    <message>
      <location filename="engine/cost/units.py" />
      <source>Most endpoints of a fat tree</source>
      <translation>胖樹的最大端點數</translation>
    </message>
    <message>
      <location filename="engine/cost/finance.py" />
      <source>Yearly capital cost</source>
      <translation>每年資本成本</translation>
    </message>
    <message>
      <location filename="engine/cost/finance.py" />
      <source>Capital recovery factor</source>
      <translation>資本回收因子</translation>
    </message>
    <message>
      <location filename="engine/cost/finance.py" />
      <source>Residual value today</source>
      <translation>殘值現值</translation>
    </message>
    <message>
      <location filename="engine/cost/finance.py" />
      <source>Real rate</source>
      <translation>實質利率</translation>
    </message>
    <message>
      <location filename="engine/cost/finance.py" />
      <source>Straight-line depreciation</source>
      <translation>直線折舊</translation>
    </message>
    <message>
      <location filename="engine/cost/fleets.py" />
      <source>Devices to finish in time</source>
      <translation>準時完成所需裝置數</translation>
    </message>
    <message>
      <location filename="engine/cost/fleets.py" />
      <source>work over time, in whole nodes, and enough memory for the model's state</source>
      <translation>工作量除以時間，以整數節點計，且記憶體足以容納模型狀態</translation>
    </message>
    <message>
      <location filename="engine/cost/fleets.py" />
      <source>Cost of devices held</source>
      <translation>持有裝置的成本</translation>
    </message>
    <message>
      <location filename="engine/cost/fleets.py" />
      <source>held devices are paid for whether used or not</source>
      <translation>持有的裝置無論使用與否都須付費</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>Break-even utilisation</source>
      <translation>損益平衡使用率</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>owned hours cost the same used or idle, rented hours only when used</source>
      <translation>自有時數用與不用成本相同，租用時數僅使用時計費</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>Capital per device, all parts</source>
      <translation>每個裝置的資本（各部分）</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>Capital per device</source>
      <translation>每個裝置的資本</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>Yearly electricity cost</source>
      <translation>每年電費</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>energy is billed on mean power, cooling included</source>
      <translation>電費依平均功率計，含冷卻</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>Yearly facility cost</source>
      <translation>每年場地成本</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>colocation is billed on provisioned power</source>
      <translation>主機代管依配置功率計費</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>Owned cost per device-hour</source>
      <translation>自有每裝置小時成本</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>spread over every hour of the year</source>
      <translation>分攤至全年每小時</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>Yearly cost of owning</source>
      <translation>每年自有成本</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>Provisioned power per device</source>
      <translation>每個裝置配置的功率</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>switches, storage and management draw a share of the nodes' power</source>
      <translation>交換器、儲存與管理耗電佔節點功率的一定比例</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>Cost per useful device-hour</source>
      <translation>每有效裝置小時成本</translation>
    </message>
    <message>
      <location filename="engine/cost/ownership.py" />
      <source>hours that do work carry those that don't</source>
      <translation>工作時數分攤未工作的時數</translation>
    </message>
    <message>
      <location filename="engine/cost/plan_years.py" />
      <source>Worth today of a year's capital</source>
      <translation>一年資本的現值</translation>
    </message>
    <message>
      <location filename="engine/cost/plan_years.py" />
      <source>Worth today of a year's payments</source>
      <translation>一年付款的現值</translation>
    </message>
    <message>
      <location filename="engine/cost/plan_years.py" />
      <source>Price after a while</source>
      <translation>一段時間後的價格</translation>
    </message>
    <message>
      <location filename="engine/cost/plan_years.py" />
      <source>a steady change, as planned or as the usual spread has it</source>
      <translation>依規劃或一般離散程度的穩定變化</translation>
    </message>
    <message>
      <location filename="engine/cost/rental.py" />
      <source>Amount in dollars</source>
      <translation>美元金額</translation>
    </message>
    <message>
      <location filename="engine/cost/rental.py" />
      <source>exchange rate given by the planner</source>
      <translation>規劃者提供的匯率</translation>
    </message>
    <message>
      <location filename="engine/cost/rental.py" />
      <source>Price per device at equal work</source>
      <translation>同等工作量下每個裝置的價格</translation>
    </message>
    <message>
      <location filename="engine/cost/rental.py" />
      <source>work lost to the hypervisor is bought again</source>
      <translation>虛擬化損失的工作須再次購買</translation>
    </message>
    <message>
      <location filename="engine/cost/rental.py" />
      <source>Price of a term paid in advance</source>
      <translation>預付期限的價格</translation>
    </message>
    <message>
      <location filename="engine/cost/rental.py" />
      <source>the prepaid part spread as equal payments with interest</source>
      <translation>預付部分按含息等額攤還</translation>
    </message>
    <message>
      <location filename="engine/cost/rental.py" />
      <source>Monthly bill of rented capacity</source>
      <translation>租用容量的每月帳單</translation>
    </message>
    <message>
      <location filename="engine/cost/rental.py" />
      <source>sum of the parts; support is billed as a share of the rest</source>
      <translation>各部分之和；支援費按其餘部分的比例計</translation>
    </message>
    <message>
      <location filename="engine/cost/resources.py" />
      <source>Share of cost by resource</source>
      <translation>各資源占成本的比例</translation>
    </message>
    <message>
      <location filename="engine/cost/resources.py" />
      <source>capital by part; HBM against ordinary memory of the same size tells bandwidth from capacity</source>
      <translation>依零件分攤資本；以 HBM 與同容量一般記憶體之差區分頻寬與容量</translation>
    </message>
    <message>
      <location filename="engine/cost/fleet_plan.py" />
      <source>Slowdown on other hardware</source>
      <translation>在其他硬體上的減速</translation>
    </message>
    <message>
      <location filename="engine/cost/fleet_plan.py" />
      <source>ratio of predicted times for the same work</source>
      <translation>相同工作的預測時間之比</translation>
    </message>
    <message>
      <location filename="engine/cost/spot.py" />
      <source>Time between interruptions of the job</source>
      <translation>工作中斷的間隔時間</translation>
    </message>
    <message>
      <location filename="engine/cost/spot.py" />
      <source>independent interruptions: rates add</source>
      <translation>獨立的中斷：速率相加</translation>
    </message>
    <message>
      <location filename="engine/cost/spot.py" />
      <source>Saving over on-demand</source>
      <translation>相較隨需的節省</translation>
    </message>
    <message>
      <location filename="engine/cost/spot.py" />
      <source>relative difference of prices per useful hour</source>
      <translation>每有效小時價格的相對差</translation>
    </message>
    <message>
      <location filename="engine/cost/spot.py" />
      <source>Interruption interval where spot costs as much as on-demand</source>
      <translation>Spot 成本等於隨需時的中斷間隔</translation>
    </message>
    <message>
      <location filename="engine/cost/spot.py" />
      <source>quadratic in 1/√M</source>
      <translation>對 1/√M 的二次式</translation>
    </message>
    <message>
      <location filename="engine/cost/spot.py" />
      <source>Share of billed spot hours that is useful</source>
      <translation>計費 Spot 時數中有效的比例</translation>
    </message>
    <message>
      <location filename="engine/cost/spot.py" />
      <source>Spot price per useful hour</source>
      <translation>每有效小時的 Spot 價格</translation>
    </message>
    <message>
      <location filename="engine/cost/spot.py" />
      <source>billed hours carry the lost ones</source>
      <translation>計費時數分攤損失的時數</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>Blended cost per million tokens</source>
      <translation>每百萬 token 混合成本</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>mean over a mix of input and output tokens</source>
      <translation>輸入與輸出 token 組合的平均</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>Cost per million cached input tokens</source>
      <translation>每百萬快取輸入 token 成本</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>a cached token skips its prefill, except for the share that the engine computes again</source>
      <translation>快取的 token 略過預填，但引擎重算的部分除外</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>Fleet cost per million tokens</source>
      <translation>機群每百萬 token 成本</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>spare replicas and idle hours included</source>
      <translation>含備援副本與閒置時數</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>Cost of a training run</source>
      <translation>一次訓練的成本</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>Device-hours of a training run</source>
      <translation>一次訓練的裝置小時</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>headroom on top of hours that failures stretch</source>
      <translation>因故障拉長的時數之上的餘裕</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>Cost per million tokens</source>
      <translation>每百萬 token 成本</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>an hour's price over the tokens of that hour</source>
      <translation>每小時價格除以該小時的 token 數</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>Cost per request</source>
      <translation>每個請求成本</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>tokens of each kind at their price</source>
      <translation>各類 token 乘以其單價</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>Cost per user and month</source>
      <translation>每位使用者每月成本</translation>
    </message>
    <message>
      <location filename="engine/cost/unit_cost.py" />
      <source>requests of a mean month</source>
      <translation>平均一個月的請求數</translation>
    </message>
    <message>
      <location filename="engine/kernels/expert_time.py" />
      <source>Routed experts</source>
      <translation>路由到的專家</translation>
    </message>
    <message>
      <location filename="engine/kernels/expert_time.py" />
      <source>Experts that a batch uses</source>
      <translation>一個批次使用的專家</translation>
    </message>
    <message>
      <location filename="engine/kernels/expert_time.py" />
      <source>expectation for even routing at random</source>
      <translation>隨機均勻路由的期望值</translation>
    </message>
    <message>
      <location filename="engine/model/forward_flops.py" />
      <source>Forward FLOPs per token</source>
      <translation>每個 token 的前向 FLOPs</translation>
    </message>
    <message>
      <location filename="engine/kernels/latent_time.py" />
      <source>Latent attention of a new token</source>
      <translation>新 token 的潛在注意力</translation>
    </message>
    <message>
      <location filename="engine/fleet/cold_start.py" />
      <source>Headroom that autoscaling needs</source>
      <translation>自動擴縮所需的餘裕</translation>
    </message>
    <message>
      <location filename="engine/fleet/cold_start.py" />
      <source>load that arrives before a new replica serves</source>
      <translation>新副本開始服務前到達的負載</translation>
    </message>
    <message>
      <location filename="engine/fleet/cold_start.py" />
      <source>Cold start of a replica</source>
      <translation>副本冷啟動</translation>
    </message>
    <message>
      <location filename="engine/fleet/cold_start.py" />
      <source>sum of serial phases; storage shared equally by all replicas that load</source>
      <translation>串聯階段之和；儲存由載入中的副本均分</translation>
    </message>
    <message>
      <location filename="engine/fleet/cold_start.py" />
      <source>Time to bring a model to all replicas</source>
      <translation>將模型送達所有副本的時間</translation>
    </message>
    <message>
      <location filename="engine/fleet/cold_start.py" />
      <source>rolling update in equal waves</source>
      <translation>均等批次的滾動更新</translation>
    </message>
    <message>
      <location filename="engine/fleet/cold_start.py" />
      <source>Billed time per request with scale to zero</source>
      <translation>縮到零時每個請求的計費時間</translation>
    </message>
    <message>
      <location filename="engine/fleet/cold_start.py" />
      <source>Poisson gaps between requests</source>
      <translation>請求間隔為 Poisson 過程</translation>
    </message>
    <message>
      <location filename="engine/simulation/queues.py" />
      <source>Share of requests blocked when nobody can wait</source>
      <translation>無法等待時被拒的請求比例</translation>
    </message>
    <message>
      <location filename="engine/simulation/queues.py" />
      <source>Share of requests that have to wait</source>
      <translation>需要等待的請求比例</translation>
    </message>
    <message>
      <location filename="engine/simulation/queues.py" />
      <source>Share that waits under square-root staffing</source>
      <translation>平方根配置下需等待的比例</translation>
    </message>
    <message>
      <location filename="engine/load/latency.py" />
      <source>Mean E2E latency</source>
      <translation>平均 E2E 延遲</translation>
    </message>
    <message>
      <location filename="engine/load/latency.py" />
      <source>one token per step after the first</source>
      <translation>第一個之後每步一個 token</translation>
    </message>
    <message>
      <location filename="engine/load/latency.py" />
      <source>Mean TTFT</source>
      <translation>平均 TTFT</translation>
    </message>
    <message>
      <location filename="engine/load/latency.py" />
      <source>Inter-token latency, percentile</source>
      <translation>token 間延遲，百分位數</translation>
    </message>
    <message>
      <location filename="engine/load/latency.py" />
      <source>two-point mixture of decode-only and mixed steps</source>
      <translation>純解碼步驟與混合步驟的兩點混合</translation>
    </message>
    <message>
      <location filename="engine/simulation/queues.py" />
      <source>Effect of bursty arrivals on the wait</source>
      <translation>突發到達對等待的影響</translation>
    </message>
    <message>
      <location filename="engine/simulation/queues.py" />
      <source>Mean wait, one server</source>
      <translation>平均等待（單一伺服器）</translation>
    </message>
    <message>
      <location filename="engine/simulation/replicas.py" />
      <source>Availability of one replica</source>
      <translation>單一副本的可用率</translation>
    </message>
    <message>
      <location filename="engine/simulation/replicas.py" />
      <source>renewal theory</source>
      <translation>更新理論</translation>
    </message>
    <message>
      <location filename="engine/simulation/replicas.py" />
      <source>Availability of enough replicas</source>
      <translation>副本足夠的可用率</translation>
    </message>
    <message>
      <location filename="engine/simulation/replicas.py" />
      <source>k-of-n; beta-factor model for common causes</source>
      <translation>n 取 k；共因採 beta 因子模型</translation>
    </message>
    <message>
      <location filename="engine/simulation/replicas.py" />
      <source>Replicas over zones, one zone may fail</source>
      <translation>跨區副本，可失去一區</translation>
    </message>
    <message>
      <location filename="engine/simulation/replicas.py" />
      <source>loss of one of equal zones</source>
      <translation>失去均等區域之一</translation>
    </message>
    <message>
      <location filename="engine/simulation/speculation.py" />
      <source>Step with drafts</source>
      <translation>含草稿的步驟</translation>
    </message>
    <message>
      <location filename="engine/simulation/speculation.py" />
      <source>one pass of the draft over all that the model sees, prompts included, and one of a token per sequence for each further draft</source>
      <translation>草稿先處理模型所見的全部內容（含提示）一次，之後每多一個草稿 token 每序列再處理一次</translation>
    </message>
    <message>
      <location filename="engine/simulation/speculation.py" />
      <source>Tokens that a step yields</source>
      <translation>每步產出的 token 數</translation>
    </message>
    <message>
      <location filename="engine/evidence/pace.py" />
      <source>As own measurements say</source>
      <translation>依自有量測</translation>
    </message>
    <message>
      <location filename="engine/evidence/pace.py" />
      <source>residuals of own measurements: Gaussian process, shrunk towards the shipped calibration</source>
      <translation>自有量測的殘差：高斯過程，向隨附校準收縮</translation>
    </message>
    <message>
      <location filename="engine/evidence/scaling.py" />
      <source>requirement S148: scaling within one node first, then across nodes</source>
      <translation>需求 S148：先在單一節點內擴展，再跨節點</translation>
    </message>
    <message>
      <location filename="engine/kernels/operation_time.py" />
      <source>Attention of a new token</source>
      <translation>新 token 的注意力</translation>
    </message>
    <message>
      <location filename="engine/kernels/operation_time.py" />
      <source>Element-wise kernel</source>
      <translation>逐元素核心</translation>
    </message>
    <message>
      <location filename="engine/kernels/operation_time.py" />
      <source>Matrix product</source>
      <translation>矩陣乘積</translation>
    </message>
    <message>
      <location filename="engine/kernels/operation_time.py" />
      <source>Attention over a prompt</source>
      <translation>提示的注意力</translation>
    </message>
    <message>
      <location filename="engine/training/schedules.py" />
      <source>Checkpoint size</source>
      <translation>檢查點大小</translation>
    </message>
    <message>
      <location filename="engine/training/schedules.py" />
      <source>MLPerf Storage v2 checkpoint sizes: 14 bytes of weights, master weights and Adam moments</source>
      <translation>MLPerf Storage v2 檢查點大小：權重、主權重與 Adam 動量共 14 位元組</translation>
    </message>
    <message>
      <location filename="engine/training/schedules.py" />
      <source>the oldest goes once the next is written whole</source>
      <translation>下一個完整寫入後，最舊的才會刪除</translation>
    </message>
    <message>
      <location filename="engine/training/schedules.py" />
      <source>Checkpoint time</source>
      <translation>檢查點時間</translation>
    </message>
    <message>
      <location filename="engine/training/schedules.py" />
      <source>size over rate</source>
      <translation>大小除以速率</translation>
    </message>
    <message>
      <location filename="engine/training/schedules.py" />
      <source>Input rate</source>
      <translation>輸入速率</translation>
    </message>
    <message>
      <location filename="engine/training/schedules.py" />
      <source>stages in series: the slowest sets the rate</source>
      <translation>各階段串聯：最慢者決定速率</translation>
    </message>
    <message>
      <location filename="engine/training/schedules.py" />
      <source>Rate of each input stage</source>
      <translation>各輸入階段的速率</translation>
    </message>
    <message>
      <location filename="engine/training/schedules.py" />
      <source>each stage alone</source>
      <translation>各階段單獨計算</translation>
    </message>
    <message>
      <location filename="engine/fleet/reliability.py" />
      <source>Share of time that makes progress</source>
      <translation>有進展的時間比例</translation>
    </message>
    <message>
      <location filename="engine/fleet/reliability.py" />
      <source>Daly's checkpoint interval</source>
      <translation>Daly 檢查點間隔</translation>
    </message>
    <message>
      <location filename="engine/fleet/reliability.py" />
      <source>Mean time between failures of a job</source>
      <translation>工作的平均故障間隔</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>Device time of an answer</source>
      <translation>一個回答的裝置時間</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>a step is shared by all sequences that it decodes</source>
      <translation>一個步驟由其解碼的所有序列共用</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>Devices of the fleet</source>
      <translation>機群裝置數</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>count</source>
      <translation>計數</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>Power of the fleet</source>
      <translation>機群功率</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>devices with their share of the node, under load; PUE adds cooling and losses</source>
      <translation>負載下的裝置與其分攤的節點功率；PUE 加計冷卻與損耗</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>Cost of the fleet per hour</source>
      <translation>機群每小時成本</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>spares and idle hours are paid for as well; a provider bills storage, egress and support beside devices</source>
      <translation>備援與閒置時數同樣付費；供應商於裝置之外另計儲存、資料外傳與支援</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>Cost of the fleet per month</source>
      <translation>機群每月成本</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>8,760 hours a year</source>
      <translation>一年 8,760 小時</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>the fleet is paid around the clock and serves its mean load</source>
      <translation>機群全天付費，服務其平均負載</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>Output tokens per second and device</source>
      <translation>每秒每裝置輸出 token</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>spares included</source>
      <translation>含備援</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>Cost per million input tokens</source>
      <translation>每百萬輸入 token 成本</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>Cost per million output tokens</source>
      <translation>每百萬輸出 token 成本</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>the whole request's cost over its answer, prompt included</source>
      <translation>整個請求的成本除以其回答，含提示</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>Cost per million output tokens, prompt apart</source>
      <translation>每百萬輸出 token 成本（提示另計）</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>what is left of a request's cost for its answer: both prices together make the request's</source>
      <translation>請求成本中屬於回答的部分：兩個價格合起來即為整個請求的成本</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>Prompt tokens that are worked on</source>
      <translation>實際處理的提示 token</translation>
    </message>
    <message>
      <location filename="engine/serving/cost.py" />
      <source>a token found in the prefix cache skips its prefill, but for the share that the engine computes again</source>
      <translation>在前綴快取中找到的 token 不再預填，但引擎重新計算的比例除外</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>Cost of a query-key pair</source>
      <translation>每個查詢—鍵對的成本</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>slope of the measured attention kernels around the mean chunk of a prompt</source>
      <translation>實測注意力 kernel 在提示平均區塊附近的斜率</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>Cost of a cached token</source>
      <translation>每個快取 token 的成本</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>slope of the measured attention kernels at a working batch</source>
      <translation>實測注意力 kernel 在運作批次下的斜率</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>Pass of tokens through the weights</source>
      <translation>token 通過權重的一次傳遞</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>the serving model, tabulated over tokens per step</source>
      <translation>推論服務模型，依每步 token 數列表</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>Floor of a prompt's attention</source>
      <translation>提示注意力的下限</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>what the measured attention kernels take beside their pairs</source>
      <translation>實測注意力 kernel 在配對之外所需時間</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>Attention per sequence</source>
      <translation>每個序列的注意力</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>attention kernels of batches without context: of one sequence, and of a working batch</source>
      <translation>無上下文批次的注意力核心：單一序列，以及一般工作批次</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>Cost of a sequence</source>
      <translation>一個序列的成本</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>beside its token's pass through the weights, and its cache</source>
      <translation>不含其詞元通過權重與其快取的部分</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>Pass, of which a share prefills</source>
      <translation>其中一部分為預填的傳遞</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>Step under load</source>
      <translation>負載下的一步</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>Table of step times</source>
      <translation>單步時間表</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>attention kernels have a floor, which rides on every step, and a cost per sequence</source>
      <translation>注意力核心有每步都要付的下限，以及每個序列的成本</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>Prompt with a draft</source>
      <translation>含草稿的提示</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>what drafts reads the prompt too, in one pass</source>
      <translation>草稿模型也讀取提示，一次傳遞</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>Pass of sequences and prompts</source>
      <translation>序列與提示的一次通過</translation>
    </message>
    <message>
      <location filename="engine/serving/grid.py" />
      <source>attention kernels and the host have a cost per sequence, which a prompt's tokens have not</source>
      <translation>注意力核心與主機有每個序列的成本，提示的詞元則沒有</translation>
    </message>
    <message>
      <location filename="engine/serving/limits.py" />
      <source>the engine's KV pool divided evenly</source>
      <translation>引擎的 KV 集區均分</translation>
    </message>
    <message>
      <location filename="engine/serving/limits.py" />
      <source>a model of the same mix of formats and the same cache, spread over the same devices</source>
      <translation>格式組合與快取相同、分布於相同裝置的模型</translation>
    </message>
    <message>
      <location filename="engine/serving/limits.py" />
      <source>Largest model to train</source>
      <translation>可訓練的最大模型</translation>
    </message>
    <message>
      <location filename="engine/serving/limits.py" />
      <source>state of training divides over the devices as the layout says; activations stay those of this model</source>
      <translation>訓練狀態依配置分散於各裝置；活化值維持此模型的值</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>Wait for admission</source>
      <translation>等待准入</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>engine facts: steps that engines schedule ahead</source>
      <translation>引擎資料：引擎預先排程的步驟</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>Wait for prefill</source>
      <translation>等待預填</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>Mean TTFT of a class</source>
      <translation>一個類別的平均 TTFT</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>classes wait alike, and differ by their own prompts</source>
      <translation>各類別等待相同，差別在各自的提示</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>Step with the end of a prompt</source>
      <translation>含提示末段的步驟</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>time of a step against the tokens of prompts in it: linear from none to those of a mean step, and on to a full one</source>
      <translation>步驟時間隨其中提示詞元數而變：從零到平均步驟為線性，再到滿載步驟亦為線性</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>Prompt token in a full step</source>
      <translation>滿載步驟中的提示詞元</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>while prompts wait, steps read as many of their tokens as decoding leaves</source>
      <translation>有提示等待時，每步讀取解碼所餘的詞元數</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>Steps' time that a prompt takes</source>
      <translation>提示占用的步驟時間</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>prompts that fit into one step are read together, and do not queue for each other</source>
      <translation>可放入同一步的提示一起讀取，彼此不排隊</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>Mean square of that time</source>
      <translation>該時間的均方</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>prompts' lengths: most of what others wait for is long ones</source>
      <translation>提示的長度：其他提示所等的大多是長提示</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>Wait for a place</source>
      <translation>等待空位</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>Prefill of a prompt</source>
      <translation>一個提示的預填</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>Prefill utilisation</source>
      <translation>預填使用率</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>share of what steps can read of prompts</source>
      <translation>步驟可讀取提示量的比例</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>Rest of the running step</source>
      <translation>進行中一步的剩餘時間</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>Prompts' tokens in a step</source>
      <translation>一步中的提示詞元</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>beside a prompt are as many others as come into any step (Poisson arrivals), if they fit</source>
      <translation>提示旁有如同任一步會到來的其他提示（Poisson 到達），只要放得下</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>Mean TTFT with host time</source>
      <translation>含主機時間的平均 TTFT</translation>
    </message>
    <message>
      <location filename="engine/serving/load/first_token.py" />
      <source>engine facts: tokenising, scheduling, reply</source>
      <translation>引擎資料：斷詞、排程、回覆</translation>
    </message>
    <message>
      <location filename="engine/serving/load/percentiles.py" />
      <source>TPOT with drafts, percentile over requests</source>
      <translation>含草稿的 TPOT，各請求的百分位數</translation>
    </message>
    <message>
      <location filename="engine/serving/load/percentiles.py" />
      <source>answers of one length take different numbers of steps: normal limit of the renewal process of accepted tokens, independent of the steps' time</source>
      <translation>等長的回答所需步數不同：接受 token 的更新過程取常態極限，與步驟時間獨立</translation>
    </message>
    <message>
      <location filename="engine/serving/load/percentiles.py" />
      <source>TTFT, low percentile over requests</source>
      <translation>TTFT，各請求的低百分位數</translation>
    </message>
    <message>
      <location filename="engine/serving/load/percentiles.py" />
      <source>two kinds of requests: those that come while prompts are read, and those that do not, which are the first; these come at any moment of a decode step</source>
      <translation>兩種請求：在讀取提示時到來的，以及不是的；後者最快，並在解碼步驟的任一時刻到來</translation>
    </message>
    <message>
      <location filename="engine/serving/load/percentiles.py" />
      <source>TTFT between prompts</source>
      <translation>提示之間的 TTFT</translation>
    </message>
    <message>
      <location filename="engine/serving/load/percentiles.py" />
      <source>a request that meets no other prompt waits for half a decode step, where any sequence is decoding</source>
      <translation>未遇到其他提示的請求，在有序列解碼時等待半個解碼步驟</translation>
    </message>
    <message>
      <location filename="engine/serving/load/percentiles.py" />
      <source>Spread of TPOT by prompts</source>
      <translation>提示造成的 TPOT 離散</translation>
    </message>
    <message>
      <location filename="engine/serving/load/percentiles.py" />
      <source>prompts that come into an answer at random (compound Poisson), each with those that come while it is read; short answers vary more</source>
      <translation>提示隨機落入一個回答（複合 Poisson），各自帶來其讀取期間到達的提示；短回答的變化較大</translation>
    </message>
    <message>
      <location filename="engine/serving/load/percentiles.py" />
      <source>E2E, percentile over requests</source>
      <translation>E2E，請求的百分位數</translation>
    </message>
    <message>
      <location filename="engine/serving/load/percentiles.py" />
      <source>answers spread like an exponential; TTFT, the answer's length and its pace independent</source>
      <translation>回答長度近似指數分布；TTFT、回答長度與其速度互相獨立</translation>
    </message>
    <message>
      <location filename="engine/serving/load/percentiles.py" />
      <source>TPOT, percentile over requests</source>
      <translation>TPOT，請求的百分位數</translation>
    </message>
    <message>
      <location filename="engine/serving/load/percentiles.py" />
      <source>mean of many steps: what prompts add is like a gamma distribution (Cornish-Fisher), the batch varies like a Poisson number; no mean of steps is longer than the longest</source>
      <translation>多步的平均：提示所加的近似 gamma 分布（Cornish-Fisher），批次如 Poisson 數般變動；步驟平均不會比最長的步驟更長</translation>
    </message>
    <message>
      <location filename="engine/serving/load/percentiles.py" />
      <source>TTFT, percentile over requests</source>
      <translation>TTFT，請求的百分位數</translation>
    </message>
    <message>
      <location filename="engine/serving/load/rates.py" />
      <source>Rate at the targets</source>
      <translation>符合目標的速率</translation>
    </message>
    <message>
      <location filename="engine/serving/load/rates.py" />
      <source>every target must hold</source>
      <translation>所有目標都須符合</translation>
    </message>
    <message>
      <location filename="engine/serving/load/rates.py" />
      <source>Rate at a limit</source>
      <translation>達限值的速率</translation>
    </message>
    <message>
      <location filename="engine/serving/load/rates.py" />
      <source>linear between the points of the load grid; its inverse where the upper one is infinite</source>
      <translation>負載格點間線性內插；上端為無限大時取倒數內插</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Little's law over time: sequences stay longer in long steps</source>
      <translation>對時間的 Little 定律：序列在長步驟中停留較久</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Chunks of prompts that fit in a step</source>
      <translation>一步可容納的提示區塊數</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>the scheduler gives prompts what decoding leaves of a step's tokens</source>
      <translation>排程器將解碼後剩餘的步驟 token 額度分給提示</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Little's law over steps: each answer takes as many steps as it has tokens, fewer with drafts</source>
      <translation>以步驟計的 Little 定律：回答有多少 token 就需多少步驟，使用草稿則較少</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Time per output token with drafts</source>
      <translation>含草稿的每輸出 token 時間</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>a step yields several tokens at once</source>
      <translation>一個步驟一次產出多個 token</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Step with a prefill</source>
      <translation>含預填的一步</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>a step with more work is never shorter</source>
      <translation>工作較多的步驟不會更短</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Longest step</source>
      <translation>最長的步驟</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>a step that prompts fill, with their attention</source>
      <translation>被提示填滿的步驟，含其注意力</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Mean step</source>
      <translation>平均步驟</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Step that an arrival meets, prompts apart</source>
      <translation>到達時遇到的步驟，提示另計</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>a step of decoding, or one of the prompts that came during the step before, a first one and as many more as take a share `reading` of its time</source>
      <translation>解碼的步驟，或讀取前一步期間到達之提示的步驟：第一個提示，再加上占其時間 `reading` 比例的其他提示</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Step that an arrival meets</source>
      <translation>到達時遇到的步驟</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>arrivals fall into long steps more often than into short ones</source>
      <translation>到達落在長步驟的機會多於短步驟</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Places in use</source>
      <translation>使用中的空位</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Little's law: a request holds its place in the cache from its first chunk to its last token</source>
      <translation>Little 定律：請求從第一塊到最後一個詞元都占有快取中的位置</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Steps with a prefill</source>
      <translation>含預填的步驟</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>arrivals at random: steps into which at least one comes; where no more than one fits, as many steps as chunks</source>
      <translation>隨機到達：至少有一個到達的步驟；每步只容一個時，步數等於區塊數</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Further wait for prompts behind</source>
      <translation>後方提示造成的額外等待</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>an answer begins while prompts that came during its own prefill are read, and those that come meanwhile; it ends at any step, few of which have prompts</source>
      <translation>回答開始時，正在讀取其預填期間到達的提示，以及其間到來的提示；回答可在任一步結束，而其中少有提示</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Prompts' share of time</source>
      <translation>提示所占的時間比例</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>what steps take beyond decoding is prompts'</source>
      <translation>步驟中超出解碼的時間屬於提示</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Step that sequences meet</source>
      <translation>序列遇到的步驟</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>a sequence is among those of its own steps (arrivals meet the mean batch); a full batch neither varies nor goes with the prompts</source>
      <translation>序列自身也在其步驟之中（到達者遇到平均批次）；滿的批次不變動，也不隨提示變動</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>Variance of steps</source>
      <translation>步驟時間的變異數</translation>
    </message>
    <message>
      <location filename="engine/serving/load/steps.py" />
      <source>a step reads what came during the last one: chunks at random, more of them after a longer step; none vary where every step is full</source>
      <translation>每一步讀取上一步期間到達的內容：區塊隨機，較長的步驟後較多；每步皆滿時則無變動</translation>
    </message>
    <message>
      <location filename="engine/serving/loaded.py" />
      <source>both at the same batch; under 1, drafts cost more than they yield</source>
      <translation>兩者批次相同；小於 1 時草稿得不償失</translation>
    </message>
    <message>
      <location filename="engine/serving/loaded.py" />
      <source>Replicas with spares</source>
      <translation>含備援的副本</translation>
    </message>
    <message>
      <location filename="engine/serving/loaded.py" />
      <source>N+1, N+2</source>
      <translation>N+1、N+2</translation>
    </message>
    <message>
      <location filename="engine/serving/memory.py" />
      <source>Memory left for the cache</source>
      <translation>留給快取的記憶體</translation>
    </message>
    <message>
      <location filename="engine/serving/memory.py" />
      <source>the engine fills the fraction of memory that it is allowed</source>
      <translation>引擎用滿允許的記憶體比例</translation>
    </message>
    <message>
      <location filename="engine/serving/memory.py" />
      <source>Megatron-style sharding: matrices are cut by tensor parallelism, layers by stages; the first or last stage holds the embedding or the head</source>
      <translation>Megatron 式切分：矩陣依張量平行切分，層依階段切分；第一或最後階段存放嵌入或輸出頭</translation>
    </message>
    <message>
      <location filename="engine/serving/memory.py" />
      <source>Activations while serving</source>
      <translation>服務時的活化值</translation>
    </message>
    <message>
      <location filename="engine/serving/memory.py" />
      <source>With what drafts</source>
      <translation>含草稿模型</translation>
    </message>
    <message>
      <location filename="engine/serving/memory.py" />
      <source>a head of one layer, or a draft model cut as the model is</source>
      <translation>一層的預測頭，或與模型同樣切分的草稿模型</translation>
    </message>
    <message>
      <location filename="engine/serving/predict/closed_loop.py" />
      <source>TTFT in the start burst</source>
      <translation>啟動突發時的 TTFT</translation>
    </message>
    <message>
      <location filename="engine/serving/predict/closed_loop.py" />
      <source>TPOT in a closed loop</source>
      <translation>封閉迴路的 TPOT</translation>
    </message>
    <message>
      <location filename="engine/serving/predict/closed_loop.py" />
      <source>TTFT as a benchmark reports it</source>
      <translation>基準測試所報告的 TTFT</translation>
    </message>
    <message>
      <location filename="engine/serving/predict/closed_loop.py" />
      <source>Prompts of a generation that come together</source>
      <translation>同一批一起到達的提示</translation>
    </message>
    <message>
      <location filename="engine/serving/predict/closed_loop.py" />
      <source>answers of equal length that began together end in one step, and so do the next; mixed steps draw apart what prefill had to take in turn</source>
      <translation>同時開始且等長的回答在同一步結束，後續亦然；混合步驟將須依序預填者錯開</translation>
    </message>
    <message>
      <location filename="engine/serving/predict/closed_loop.py" />
      <source>Wait of prompts that come within a window</source>
      <translation>視窗內到達提示的等待</translation>
    </message>
    <message>
      <location filename="engine/serving/predict/full_engine.py" />
      <source>Run of requests that all come at once</source>
      <translation>全部同時到達的請求</translation>
    </message>
    <message>
      <location filename="engine/serving/predict/full_engine.py" />
      <source>each token pays its part of a full step; the longest answer pays the fixed part to the end</source>
      <translation>每個 token 分攤滿載步驟的一部分；最長的回答負擔固定部分直到結束</translation>
    </message>
    <message>
      <location filename="engine/serving/predict/open_loop.py" />
      <source>Wait by chance</source>
      <translation>隨機造成的等待</translation>
    </message>
    <message>
      <location filename="engine/serving/predict/batch.py" />
      <source>Pass over samples</source>
      <translation>樣本的一次傳遞</translation>
    </message>
    <message>
      <location filename="engine/serving/predict/stacks.py" />
      <source>Decode step of a stack</source>
      <translation>軟體堆疊的解碼步</translation>
    </message>
    <message>
      <location filename="engine/serving/predict/stacks.py" />
      <source>Prefill pass of a stack</source>
      <translation>軟體堆疊的預填傳遞</translation>
    </message>
    <message>
      <location filename="engine/serving/step.py" />
      <source>One pass, by resource</source>
      <translation>一次傳遞，依資源</translation>
    </message>
    <message>
      <location filename="engine/serving/step.py" />
      <source>sum over the operations of one pass, each bound by compute or memory as measured kernels are</source>
      <translation>一次傳遞各運算之和，各依實測 kernel 受限於運算或記憶體</translation>
    </message>
    <message>
      <location filename="engine/kernels/state_time.py" />
      <source>Recurrence by one token</source>
      <translation>一個 token 的遞迴</translation>
    </message>
    <message>
      <location filename="engine/kernels/state_time.py" />
      <source>Recurrence over a prompt</source>
      <translation>整個提示的遞迴</translation>
    </message>
    <message>
      <location filename="engine/training/activation_memory.py" />
      <source>Communication buffers</source>
      <translation>通訊緩衝區</translation>
    </message>
    <message>
      <location filename="engine/training/activation_memory.py" />
      <source>reserved less allocated memory: what comes and goes within a step leaves gaps</source>
      <translation>保留減去配置的記憶體：步驟內進出的資料留下空隙</translation>
    </message>
    <message>
      <location filename="engine/training/activation_memory.py" />
      <source>Micro-batches in flight on the first stage</source>
      <translation>第一階段進行中的微批次</translation>
    </message>
    <message>
      <location filename="engine/training/activation_memory.py" />
      <source>Micro-batches in flight on the last stage</source>
      <translation>最後階段進行中的微批次</translation>
    </message>
    <message>
      <location filename="engine/training/activation_memory.py" />
      <source>Logits and loss on a device</source>
      <translation>單一裝置上的 logits 與損失</translation>
    </message>
    <message>
      <location filename="engine/training/activation_memory.py" />
      <source>Runtime and buffers on a device</source>
      <translation>單一裝置上的執行環境與緩衝區</translation>
    </message>
    <message>
      <location filename="engine/training/communication.py" />
      <source>Tokens to their experts over two levels</source>
      <translation>經兩層將 token 送至專家</translation>
    </message>
    <message>
      <location filename="engine/training/communication.py" />
      <source>Exchange not hidden</source>
      <translation>未被遮蔽的交換</translation>
    </message>
    <message>
      <location filename="engine/training/communication.py" />
      <source>exchanges run beside the passes they belong to; what contends or cannot be hidden remains</source>
      <translation>交換與所屬的傳遞並行；相互爭用或無法遮蔽者仍計入</translation>
    </message>
    <message>
      <location filename="engine/training/communication.py" />
      <source>Gather or scatter over two levels</source>
      <translation>兩層的收集或分散</translation>
    </message>
    <message>
      <location filename="engine/training/communication.py" />
      <source>Send between pipeline stages</source>
      <translation>管線階段間的傳送</translation>
    </message>
    <message>
      <location filename="engine/training/communication.py" />
      <source>point to point; over the network where a stage fills its domain</source>
      <translation>點對點；階段佔滿互連域時經由網路</translation>
    </message>
    <message>
      <location filename="engine/training/memory.py" />
      <source>Micro-batches of a step</source>
      <translation>一步的微批次</translation>
    </message>
    <message>
      <location filename="engine/training/memory.py" />
      <source>gradient accumulation</source>
      <translation>梯度累積</translation>
    </message>
    <message>
      <location filename="engine/training/memory.py" />
      <source>Device context and libraries, as own measurements say</source>
      <translation>裝置上下文與函式庫，依自有量測</translation>
    </message>
    <message>
      <location filename="engine/training/memory.py" />
      <source>middle of measured less predicted memory, shrunk by the number of runs</source>
      <translation>實測減預測記憶體的中位數，依執行次數收縮</translation>
    </message>
    <message>
      <location filename="engine/training/run.py" />
      <source>Time that a checkpoint stops the run</source>
      <translation>檢查點使訓練停頓的時間</translation>
    </message>
    <message>
      <location filename="engine/training/run.py" />
      <source>Hardware FLOPs utilisation</source>
      <translation>硬體 FLOPs 使用率</translation>
    </message>
    <message>
      <location filename="engine/training/run.py" />
      <source>Model FLOPs utilisation</source>
      <translation>模型 FLOPs 使用率</translation>
    </message>
    <message>
      <location filename="engine/training/run.py" />
      <source>Daly's optimum; a run that hardly fails still keeps a checkpoint a day</source>
      <translation>Daly 最佳值；幾乎不故障的訓練仍每天保留一個檢查點</translation>
    </message>
    <message>
      <location filename="engine/training/run.py" />
      <source>failures, checkpoints and virtual machines stretch the steps; the start is paid once</source>
      <translation>故障、檢查點與虛擬機拉長步驟；啟動只計一次</translation>
    </message>
    <message>
      <location filename="engine/training/run.py" />
      <source>headroom for retries, validation runs and experiments</source>
      <translation>重試、驗證與實驗的餘裕</translation>
    </message>
    <message>
      <location filename="engine/training/run.py" />
      <source>Energy of the run</source>
      <translation>整次訓練的能耗</translation>
    </message>
    <message>
      <location filename="engine/training/run.py" />
      <source>Power while training</source>
      <translation>訓練時的功率</translation>
    </message>
    <message>
      <location filename="engine/training/run.py" />
      <source>definition</source>
      <translation>定義</translation>
    </message>
    <message>
      <location filename="engine/training/run.py" />
      <source>Tokens per second</source>
      <translation>每秒 token</translation>
    </message>
    <message>
      <location filename="engine/training/run.py" />
      <source>Tokens per second and device</source>
      <translation>每秒每裝置 token</translation>
    </message>
    <message>
      <location filename="engine/training/run.py" />
      <source>price over time; a provider bills storage, egress and support beside devices</source>
      <translation>價格乘以時間；供應商於裝置之外另計儲存、資料外傳與支援</translation>
    </message>
    <message>
      <location filename="engine/training/exploring.py" />
      <source>throughput per device, strong scaling at one global batch</source>
      <translation>每裝置吞吐量，固定全域批次的強擴展</translation>
    </message>
    <message>
      <location filename="engine/training/exploring.py" />
      <source>Cost of a day saved</source>
      <translation>節省一天的成本</translation>
    </message>
    <message>
      <location filename="engine/training/exploring.py" />
      <source>marginal cost between neighbouring device counts</source>
      <translation>相鄰裝置數之間的邊際成本</translation>
    </message>
    <message>
      <location filename="engine/training/state_memory.py" />
      <source>Dense parameters of a stage on one device</source>
      <translation>一個階段在單一裝置上的稠密參數</translation>
    </message>
    <message>
      <location filename="engine/training/state_memory.py" />
      <source>Expert parameters of a stage on one device</source>
      <translation>一個階段在單一裝置上的專家參數</translation>
    </message>
    <message>
      <location filename="engine/training/state_memory.py" />
      <source>experts are dealt out over the expert-parallel ranks; without them, cut by tensor parallelism</source>
      <translation>專家分配至各專家平行 rank；無專家平行時依張量平行切分</translation>
    </message>
    <message>
      <location filename="engine/training/state_memory.py" />
      <source>Frozen weights on a device</source>
      <translation>單一裝置上的凍結權重</translation>
    </message>
    <message>
      <location filename="engine/training/state_memory.py" />
      <source>State on a device</source>
      <translation>單一裝置上的狀態</translation>
    </message>
    <message>
      <location filename="engine/training/state_memory.py" />
      <source>Layers of the fullest stage</source>
      <translation>最滿階段的層數</translation>
    </message>
    <message>
      <location filename="engine/training/state_memory.py" />
      <source>layers are dealt out as evenly as they go</source>
      <translation>層盡可能平均分配</translation>
    </message>
    <message>
      <location filename="engine/training/state_memory.py" />
      <source>Dense parameters on one device</source>
      <translation>單一裝置上的稠密參數</translation>
    </message>
    <message>
      <location filename="engine/training/state_memory.py" />
      <source>the first stage holds the embedding, the last the head</source>
      <translation>第一階段存放嵌入，最後階段存放輸出頭</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>kernels wait where the host launches or feeds them more slowly than they run, or updates for them</source>
      <translation>主機啟動、供料或更新慢於 kernel 執行時，kernel 須等待</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>the input pipeline prefetches; what it cannot deliver in time stops the step</source>
      <translation>輸入管線會預先讀取；無法及時供應者使步驟停頓</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>Efficiency of the kernels</source>
      <translation>核心效率</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>measured kernels of this device or its nearest relative (kernel calibration), at these shapes</source>
      <translation>此裝置或其最接近同類在這些形狀下的實測 kernel（kernel 校準）</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>Update on the host</source>
      <translation>主機上的更新</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>Traffic of the optimizer</source>
      <translation>最佳化器的流量</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>master weights and moments are read and written, gradients read, weights written</source>
      <translation>主權重與動量讀取並寫入，梯度讀取，權重寫入</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>Memory traffic of a pass on the slowest stage</source>
      <translation>最慢階段一次傳遞的記憶體流量</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>measured kernels: the part bound by memory and launch floors; norms, casts, gradients added up</source>
      <translation>實測 kernel：受限於記憶體與啟動下限的部分；正規化、轉型、梯度加總</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>Compute of a pass on the slowest stage</source>
      <translation>最慢階段一次傳遞的運算</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>Memory traffic of a step</source>
      <translation>一步的記憶體流量</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>the optimizer reads and writes its state once per step</source>
      <translation>最佳化器每步讀寫其狀態一次</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>Compute of a step</source>
      <translation>一步的運算</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>every micro-batch passes the slowest stage</source>
      <translation>每個微批次都經過最慢的階段</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>sum of the parts, of the slowest stage</source>
      <translation>各部分之和，取最慢階段</translation>
    </message>
    <message>
      <location filename="engine/training/step_time.py" />
      <source>Streaming from the host</source>
      <translation>從主機串流</translation>
    </message>
    <message>
      <location filename="engine/hardware/virtual_machines.py" />
      <source>On virtual machines</source>
      <translation>在虛擬機上</translation>
    </message>
    <message>
      <location filename="engine/hardware/virtual_machines.py" />
      <source>work lost to the hypervisor is time lost to every step</source>
      <translation>虛擬化損失的工作使每一步變慢</translation>
    </message>
    <message>
      <location filename="engine/model/weight_sizes.py" />
      <source>Weights in memory</source>
      <translation>記憶體中的權重</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>the set of measurements; without what virtual machines lost</source>
      <translation>這組量測；扣除虛擬機的損失</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>prediction of the measured case by the shipped calibration, and its distance</source>
      <translation>以隨附校準對實測案例的預測及其差距</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>kernels and engines as published results have them</source>
      <translation>以已發表結果為準的核心與引擎</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>prediction of the case from the other measurements</source>
      <translation>由其他量測對此案例的預測</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>posterior over what cases share</source>
      <translation>各案例共同部分的後驗分布</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>the source that stands beside it, or the set that was imported</source>
      <translation>列於其旁的來源，或匯入的資料集</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>prediction of the measured case by the shipped calibration, and its distance from the plan</source>
      <translation>以內建校準預測該量測案例，及其與計畫的距離</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>kernels and engines as published results have them; distances by doublings</source>
      <translation>核心與引擎依已發表的結果；距離以倍增次數計</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>new measurement against what the plan expects of it</source>
      <translation>新量測與計畫預期之比較</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>spread of the candidate before and after such a measurement</source>
      <translation>此類量測前後候選方案的離散程度</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>spread of the candidate before and after such a run</source>
      <translation>此類訓練前後候選方案的離散程度</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>the file that was imported</source>
      <translation>匯入的檔案</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>the file that was imported, or what the planner said of it</source>
      <translation>匯入的檔案，或規劃者所述</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>years · 8760</source>
      <translation>年數 · 8760</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>scenario</source>
      <translation>情境</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>as stated, or when the first run ends</source>
      <translation>依所填，或第一次訓練結束時</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>runs evenly spread over a year, each as long as the time for a run</source>
      <translation>一年內平均分布的訓練，每次為一次訓練的時間長度</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>kinds of device among the cheapest for either workload or for both</source>
      <translation>對任一工作負載或兩者最便宜的裝置種類</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>sum over the fleets</source>
      <translation>各機群之和</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>hour by hour over the horizon</source>
      <translation>規劃期間內逐小時計算</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>paid − used, over resources and fleets</source>
      <translation>已付 − 已用，依資源與機群加總</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>devices + storage + egress</source>
      <translation>裝置 + 儲存 + 資料外傳</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>device-hours paid · price of each, held throughout or by the hour</source>
      <translation>付費裝置小時 · 單價，全程持有或按時計</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>stored · months · price · (1 + support)</source>
      <translation>儲存量 · 月數 · 單價 · (1 + 支援)</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>scenario: rental bill</source>
      <translation>情境：租用帳單</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>moved out · price · (1 + support)</source>
      <translation>外傳量 · 單價 · (1 + 支援)</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>the most that either workload, or both at once, need in any hour, in whole nodes</source>
      <translation>任一小時內任一工作負載或兩者同時所需的最大量，以整節點計</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>devices · hours held, and what is rented by the hour</source>
      <translation>裝置 · 持有時數，加上按時租用的部分</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>device-hours of a run · runs over the horizon</source>
      <translation>一次訓練的裝置小時 · 規劃期間的訓練次數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>replicas of each hour, spares included · devices of a replica</source>
      <translation>每小時的副本數（含備援）· 每個副本的裝置數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>paid − used</source>
      <translation>已付 − 已用</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>devices from the first to the last hour of the stretch, at their price</source>
      <translation>該段從第一小時到最後一小時的裝置，依其價格</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>cost of the fleet's devices · share that buys the resource · use while busy · share of hours busy</source>
      <translation>機群裝置成本 · 購買該資源的比例 · 忙碌時的使用率 · 忙碌時數比例</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>device time on the other's devices / at home</source>
      <translation>在對方裝置上的裝置時間 / 在自有裝置上的時間</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>what the workload costs there over the horizon, or for a run</source>
      <translation>該工作負載在規劃期間或一次訓練中的成本</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>of the recommended candidate</source>
      <translation>來自建議的候選方案</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>1 for a service; hours of the runs / hours of a year for training</source>
      <translation>服務為 1；訓練為訓練時數 / 一年時數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>purchase price of the node / its devices, after the planner's own prices</source>
      <translation>節點購置價格 / 其裝置數，以規劃者自訂價格優先</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>catalogue</source>
      <translation>型錄</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>(capital − resale) / life / 8760</source>
      <translation>(資本 − 轉售) / 年限 / 8760</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>accounting depreciation</source>
      <translation>會計折舊</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>year's cost / 8760</source>
      <translation>每年成本 / 8760</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>calendar hour / (availability · share of hours in use)</source>
      <translation>日曆小時 / (可用率 · 使用時數比例)</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>the planner's horizon, ten years at most</source>
      <translation>規劃者的規劃期間，最長十年</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>the planner's growth of the load</source>
      <translation>規劃者設定的負載成長</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>replicas for the highest load of each year, zones and spares included</source>
      <translation>每年最高負載所需的副本，含區域與備援</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>sum over the years of the cheapest mix, each by its worth today</source>
      <translation>最便宜組合各年的總和，各以現值計算</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>the planner's terms of owning on the device's purchase price</source>
      <translation>依規劃者的自有條件計算裝置購置價格</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>the planner's terms of owning, a year and device</source>
      <translation>規劃者的自有條件，每年每個裝置</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>price of the term for this device; owned: the hour in which it is up</source>
      <translation>此裝置在該期限的價格；自有：裝置可用的小時</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>catalogue of offers, or owning</source>
      <translation>報價型錄，或自有</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>bill of each year by its worth today; an owner's capital as an annuity</source>
      <translation>各年帳單的現值；自有者的資本以年金計算</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>device-hours of the year's fleet · price, with what is billed beside; undiscounted</source>
      <translation>當年機群的裝置時數 · 價格，加上其餘帳單項目；未折現</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>owned hour / (rented hour · (1 + support share))</source>
      <translation>自有一小時 /（租用一小時 ·（1 + 支援比例））</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>owned hour under the terms of this kind of owner</source>
      <translation>依此類擁有者條件的自有小時</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>presets of owners, with their sources in the catalogue</source>
      <translation>擁有者預設值，來源見型錄</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>purchase now, rent saved less running costs each year, resale at the end</source>
      <translation>現在購置，每年節省的租金減營運成本，期末轉售</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>a replica is reserved where it is needed in a larger share of hours than its price over that by the hour</source>
      <translation>若某副本需要的時數比例大於其價格與按時價格之比，即予預留</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>rated power · share drawn · PUE · hours, times price, carbon and water of a kWh</source>
      <translation>額定功率 · 取用比例 · PUE · 時數，再乘以每 kWh 的價格、碳與水</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>cost of the run · (1 − factor of hours · factor of price), after the measures before it</source>
      <translation>整次訓練成本 · (1 − 時數係數 · 價格係數)，在先前措施之後</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>cost of the fleet over the units that it serves or trains</source>
      <translation>機群成本除以其服務或訓練的單位數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>as asked for</source>
      <translation>依要求</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>target, budget or date of the scenario</source>
      <translation>情境的目標、預算或日期</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>of the plan as it stands</source>
      <translation>來自目前的計畫</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>variance without model error / variance with it</source>
      <translation>不含模型誤差的變異數 / 含模型誤差的變異數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>percentile over the samples</source>
      <translation>樣本的百分位數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>share of the samples in which it holds</source>
      <translation>成立的樣本比例</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>every input at its median</source>
      <translation>每個輸入取中位數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>10th percentile of the input</source>
      <translation>輸入的第 10 百分位數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>90th percentile of the input</source>
      <translation>輸入的第 90 百分位數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>this input at its 10th or 90th percentile, the others at their medians</source>
      <translation>此輸入取第 10 或第 90 百分位數，其餘取中位數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>cost of the candidate in the same samples; where it misses its targets it is no rival</source>
      <translation>相同樣本中該候選方案的成本；未達目標者不算對手</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>expected cost of deciding now − of deciding when the input is known</source>
      <translation>現在決定的預期成本 − 得知該輸入後決定的預期成本</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>value of information by regression (Strong, Oakley and Brennan 2014)</source>
      <translation>以迴歸計算的資訊價值 (Strong, Oakley and Brennan 2014)</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>weighted mean of the criteria</source>
      <translation>各準則的加權平均</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>weights of the ranking</source>
      <translation>排名權重</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>0 for the worst of the scenarios, 1 for the best</source>
      <translation>最差的情境為 0，最佳的為 1</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>criteria of the ranking</source>
      <translation>排名準則</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>share of the same samples in which the row costs less than the column</source>
      <translation>相同樣本中該列成本低於該欄的比例</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>by score</source>
      <translation>依分數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>rates from idle to saturation</source>
      <translation>從閒置到飽和的速率</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>mean-field load of a replica at this rate</source>
      <translation>此速率下單一副本的平均場負載</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>counted or taken as percentile over the requests of a run at this rate</source>
      <translation>對此速率下一次模擬的請求計數或取百分位數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>target of the scenario</source>
      <translation>情境的目標</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>percentile over the requests of the run</source>
      <translation>該次模擬請求的百分位數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>the same service with the disturbance in its midst</source>
      <translation>同一服務，其間發生該擾動</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>peak rate of the service over its replicas</source>
      <translation>服務尖峰速率除以副本數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>provision + image + weights / store's rate + compile + graphs + warm-up</source>
      <translation>佈建 + 映像 + 權重 / 儲存速率 + 編譯 + 圖 + 暖機</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>replicas for the peak at the targets, for failures, and over a day</source>
      <translation>在目標下因應尖峰、故障與一日變化的副本數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>fewest replicas with which every class is within its targets</source>
      <translation>使每一類別都符合目標的最少副本數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>(replicas · price + storage and egress) · (1 + support)</source>
      <translation>(副本 · 價格 + 儲存與外傳) · (1 + 支援)</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>as the ranked candidates</source>
      <translation>同排名的候選方案</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>fewest replicas whose simulated percentiles meet every target</source>
      <translation>模擬百分位數符合所有目標的最少副本數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>configurations looked at</source>
      <translation>檢視過的組態</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>search by targets</source>
      <translation>依目標搜尋</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>free memory / cache of a sequence at the given context</source>
      <translation>剩餘記憶體 / 給定上下文下一個序列的快取</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>memory of a replica, solved for the batch</source>
      <translation>副本記憶體，對批次求解</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>free memory / cache of a token at the given concurrency</source>
      <translation>剩餘記憶體 / 給定並行數下一個 token 的快取</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>memory of a replica, solved for the context</source>
      <translation>副本記憶體，對上下文求解</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>memory beside cache, activations and runtime / bytes of a parameter</source>
      <translation>快取、活化值與執行環境以外的記憶體 / 每個參數的位元組</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>memory of a replica, solved for it</source>
      <translation>副本記憶體，對其求解</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>capacity − weights − activations − runtime − cache</source>
      <translation>容量 − 權重 − 活化值 − 執行環境 − 快取</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>memory of a replica</source>
      <translation>副本記憶體</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>free memory / cache of a sequence of this length</source>
      <translation>剩餘記憶體 / 此長度序列的快取</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>sequences of a length that the memory holds</source>
      <translation>記憶體可容納的某長度序列數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>planned batch · bandwidth / bytes that a step moves on one device</source>
      <translation>規劃批次 · 頻寬 / 一步在單一裝置上搬移的位元組數</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>model, catalogue: the roofline's slope</source>
      <translation>模型、型錄：Roofline 的斜線</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>datasheet's figure, or the best that was timed of the device or a near relative</source>
      <translation>規格表數值，或該裝置或相近裝置的最佳實測值</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>catalogue, calibration</source>
      <translation>型錄、校準</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>operations and bytes of the operation; time by resource at the efficiency that was measured for its kind</source>
      <translation>該運算的運算量與位元組；依同類實測效率計算各資源時間</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>operations of the model; calibration of kernels</source>
      <translation>模型的運算；核心校準</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>a decode step of this batch by resource</source>
      <translation>此批次的解碼步，依資源</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>calibration of kernels</source>
      <translation>核心校準</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>time of the first / time of the second</source>
      <translation>第一者的時間 / 第二者的時間</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>calibration of kernels, catalogue</source>
      <translation>核心校準、型錄</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>spread of predictions for the two devices (calibration)</source>
      <translation>兩個裝置預測的離散程度（校準）</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>time of the phase on so many devices of this kind</source>
      <translation>該階段在這麼多個此類裝置上的時間</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>figure of the second / of the first</source>
      <translation>第二者的數值 / 第一者的數值</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>datasheets (catalogue)</source>
      <translation>規格表（型錄）</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>lengths that the phases are timed at</source>
      <translation>各階段計時所用的長度</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>published results of both devices in the same configuration</source>
      <translation>兩個裝置在相同組態下的已發表結果</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>part of a step of the slowest stage</source>
      <translation>最慢階段一步的一部分</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>bytes of a device of this stage at the peak of a step</source>
      <translation>此階段單一裝置在一步尖峰時的位元組</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>passes of the schedule, one after another on each stage</source>
      <translation>排程中的各次傳遞，在每個階段依序進行</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>pipeline schedule</source>
      <translation>管線排程</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>of the candidate</source>
      <translation>來自該候選方案</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>the fastest layout of this number of devices</source>
      <translation>此裝置數下最快的配置</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>layouts tried, as for the candidates</source>
      <translation>試過的配置，同候選方案</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>memory of the layout at this value</source>
      <translation>此值下該配置的記憶體</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>memory of all devices / bytes of a parameter, solved for the size</source>
      <translation>所有裝置的記憶體 / 每個參數的位元組，對大小求解</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>state of the recipe, and activations</source>
      <translation>訓練配方的狀態與活化值</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>a layout's own figures against the winner's</source>
      <translation>配置本身的數字與最佳者相比</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>of this layout, as for the candidates</source>
      <translation>來自此配置，同候選方案</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>step, memory and run of a layout</source>
      <translation>一個配置的單步、記憶體與整次訓練</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>layouts tried: every one that the model, the devices and the planner's limits allow</source>
      <translation>試過的配置：模型、裝置與規劃者限制所允許的全部</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>capacity · fraction of memory for the engine − weights − activations − runtime</source>
      <translation>容量 · 引擎可用記憶體比例 − 權重 − 活化值 − 執行環境</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>KV pool / cache of a sequence at mean lengths</source>
      <translation>KV 池 / 平均長度下一個序列的快取</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>sequences at once · cache of each at mean lengths</source>
      <translation>同時的序列數 · 平均長度下各自的快取</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>rate at which every step is full: of tokens, of sequences, or of cache</source>
      <translation>每一步都滿載的速率：token、序列或快取</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>peak rate / replicas that work</source>
      <translation>尖峰速率 / 運作中的副本</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>time per token without drafts / with them</source>
      <translation>不用草稿的每 token 時間／使用草稿的每 token 時間</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>both at the planned batch</source>
      <translation>兩者皆取規劃的批次</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>errors of such predictions so far (calibration)</source>
      <translation>此類預測至今的誤差（校準）</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>the fastest that fits</source>
      <translation>容納得下的最快者</translation>
    </message>
    <message>
      <location filename="engine/explaining/relations.py" />
      <source>as many layers as are needed to fit</source>
      <translation>為容納所需的層數</translation>
    </message>
  </context>
</TS>
